// The moving picture: bodies, joints, springs, markers. Draws only when something changed.

import * as THREE from "three";
import { boundsOf, makeGrid, type Bounds } from "./bounds.js";
import { Clock, indexBefore } from "./clock.js";
import { Company, isInside, type Found } from "./company.js";
import type { Motion, Scene } from "./data.js";
import { color } from "./dom.js";
import { type ForceFacts, Glyphs, type GlyphLayers } from "./glyphs.js";
import { Look, type ViewName } from "./look.js";
import { makeShape, vec } from "./shapes.js";

export type { Found, ViewName };

interface Layers extends GlyphLayers {
  ghost: boolean;
  grid: boolean;
  path: boolean;
  bodies: boolean;
}

export class SceneView {
  readonly canvas: HTMLCanvasElement;
  readonly software: boolean;
  private ownScenes: number;
  private renderer: THREE.WebGLRenderer;
  private world = new THREE.Scene();
  private look: Look;
  private content = new THREE.Group();
  private company!: Company;
  private ghost: Company | null = null;
  private second: Company | null = null;
  private glyphs!: Glyphs;
  private path: THREE.Line | null = null;
  private grid: THREE.GridHelper | null = null;
  private bounds!: Bounds;
  private wanted = false;
  private fresh = true;
  scene!: Scene;
  motion!: Motion;
  overlay: Motion | null = null;
  selected: Found | null = null;
  readonly layers: Layers = {
    ghost: true, markers: true, joints: true, forces: false, grid: true, path: false, bodies: true,
  };
  onSelect: (found: Found | null) => void = () => undefined;
  frames = 0;

  constructor(
    private host: HTMLElement,
    private scenes: Scene[],
    private clock: Clock,
  ) {
    this.ownScenes = scenes.length;
    const probe = document.createElement("canvas").getContext("webgl2");
    if (!probe) throw new Error("WebGL");
    const info = probe.getExtension("WEBGL_debug_renderer_info");
    const name = info ? String(probe.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    this.software = /swiftshader|llvmpipe|software/i.test(name);
    probe.getExtension("WEBGL_lose_context")?.loseContext();
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.software, preserveDrawingBuffer: false });
    this.renderer.setPixelRatio(this.software ? 1 : Math.min(2, devicePixelRatio));
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    host.append(this.canvas);
    const sky = new THREE.HemisphereLight("#ffffff", "#9aa3ad", 2.1);
    this.look = new Look(host, this.canvas, () => this.invalidate());
    this.world.add(sky, this.content, this.look.perspective, this.look.flat);
    this.clock.onChange(() => {
      if (this.gone) return;
      this.pose();
      this.invalidate();
    });
    new ResizeObserver(() => this.resize()).observe(host);
    this.listenForClicks();
    this.recolor();
  }

  /** Colours of the page, which may change with the evening. */
  recolor(): void {
    this.world.background = new THREE.Color(color("card"));
    if (this.grid) this.placeGrid();
    this.invalidate();
  }

  show(motion: Motion, overlay: Motion | null = null): void {
    const other = this.motion === undefined || this.scenes[motion.scene] !== this.scene;
    this.motion = motion;
    this.overlay = overlay;
    this.scene = this.scenes[motion.scene];
    this.build();
    if (other) this.view("free");
    this.pose();
    this.invalidate();
  }

  /** Further scenes behind those that are there: of a run that is laid over this one. */
  scenesOf(more: Scene[]): void {
    this.scenes = [...this.scenes.slice(0, this.ownScenes), ...more];
  }

  /** Others of the same kind in the place of those that are there; the look stays. */
  replaceScenes(scenes: Scene[]): void {
    this.scenes = scenes;
    this.ownScenes = scenes.length;
    this.scene = scenes[this.motion.scene] ?? scenes[0];
  }

  /** The same look at the next model. */
  keepViewOf(other: SceneView): void {
    if (other.scene.bodies.length !== this.scene.bodies.length) return;
    if (Math.abs(other.bounds.radius / this.bounds.radius - 1) > 0.1) return;
    this.look.copy(other.look);
    this.pose();
  }

  dispose(): void {
    this.gone = true;
    this.look.dispose();
    this.forget(this.content);
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
  private gone = false;

  private forget(object: THREE.Object3D): void {
    object.traverse((part) => {
      if (part instanceof THREE.Mesh || part instanceof THREE.Line) {
        part.geometry.dispose();
        for (const m of Array.isArray(part.material) ? part.material : [part.material]) m.dispose();
      }
    });
  }

  private build(): void {
    this.forget(this.content);
    this.content.clear();
    this.path = null;
    const { scene, motion } = this;
    this.bounds = boundsOf(scene, motion);
    this.look.up = vec(scene.up);
    this.company = new Company(scene, null, 1);
    this.content.add(this.company.root);
    this.ghost = motion.initial ? new Company(scene, "#8a929b", 0.28) : null;
    if (this.ghost) this.content.add(this.ghost.root);
    this.second = this.overlay ? new Company(this.scenes[this.overlay.scene], "#d55e00", 0.45) : null;
    if (this.second) this.content.add(this.second.root);
    for (const shape of scene.ground) {
      const material = new THREE.MeshLambertMaterial({
        color: shape.color || "#9aa3ad", opacity: shape.opacity, transparent: shape.opacity < 1,
        side: THREE.DoubleSide,
      });
      this.content.add(makeShape(shape, scene.meshes, material));
    }
    this.glyphs = new Glyphs(scene, motion, this.company);
    this.glyphs.arrowScale = this.arrowScale;
    this.content.add(this.glyphs.root);
    this.placeGrid();
  }

  private placeGrid(): void {
    if (this.grid) {
      this.content.remove(this.grid);
      this.forget(this.grid);
    }
    this.grid = makeGrid(this.scene, this.bounds);
    this.content.add(this.grid);
  }

  /** Puts everything where it is at the time of the clock. */
  pose(): void {
    const { motion, layers } = this;
    const t = this.clock.t;
    const a = indexBefore(motion.t, t);
    const b = Math.min(a + 1, motion.t.length - 1);
    const span = motion.t[b] - motion.t[a];
    const part = span > 0 ? Math.min(1, Math.max(0, (t - motion.t[a]) / span)) : 0;
    this.company.pose(motion.frames, a, b, part);
    this.company.root.visible = layers.bodies;
    if (this.ghost && motion.initial) {
      this.ghost.root.visible = layers.ghost;
      this.ghost.pose(motion.initial, a, b, part);
    }
    if (this.second && this.overlay) {
      const times = this.overlay.t;
      const c = indexBefore(times, t);
      const d = Math.min(c + 1, times.length - 1);
      const gap = times[d] - times[c];
      this.second.pose(this.overlay.frames, c, d, gap > 0 ? Math.min(1, Math.max(0, (t - times[c]) / gap)) : 0);
    }
    this.glyphs.pose(t, a, layers);
    if (this.path) this.path.visible = layers.path;
    if (this.grid) this.grid.visible = layers.grid;
  }

  /** The way of the centre of mass of a body. */
  private tracePath(body: number): void {
    if (this.path) {
      this.content.remove(this.path);
      this.forget(this.path);
      this.path = null;
    }
    if (body < 0) return;
    const { motion, scene } = this;
    const n = scene.bodies.length;
    const com = scene.bodies[body].com;
    const points: number[] = [];
    for (let k = 0; k < motion.t.length; ++k) {
      const f = 12 * (k * n + body);
      for (let i = 0; i < 3; ++i) {
        points.push(
          motion.frames[f + i] + com[0] * motion.frames[f + 3 + i] + com[1] * motion.frames[f + 6 + i] +
            com[2] * motion.frames[f + 9 + i],
        );
      }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    this.path = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: "#cc79a7" }));
    this.path.frustumCulled = false;
    this.path.visible = this.layers.path;
    this.content.add(this.path);
  }

  /** How long arrows of forces are. */
  setArrowScale(scale: number): void {
    this.arrowScale = this.glyphs.arrowScale = scale;
    this.pose();
    this.invalidate();
  }
  private arrowScale = 1;

  /** How a force is drawn now, for tests. */
  factsOf(force: number): ForceFacts {
    return this.glyphs.factsOf(force);
  }

  setLayer(name: keyof Layers, on: boolean): void {
    this.layers[name] = on;
    this.pose();
    this.invalidate();
  }

  /** Looks from a direction at everything. */
  view(name: ViewName): void {
    this.look.view(name, this.bounds);
    this.resize();
  }

  toggleOrthographic(): void {
    this.look.toggleOrthographic();
  }

  /** Frames what is selected, or everything. */
  frame(): void {
    const { direction } = this.look;
    if (this.selected?.kind === "body") {
      const box = new THREE.Box3().setFromObject(this.company.groups[this.selected.index]);
      const ball = box.getBoundingSphere(new THREE.Sphere());
      this.look.aim(ball.center, Math.max(ball.radius, 0.05 * this.bounds.radius), direction);
    } else {
      this.look.aim(this.bounds.center, this.bounds.radius, direction, this.bounds.corners);
    }
  }

  select(found: Found | null): void {
    this.selected = found;
    this.content.traverse((part) => {
      if (!(part instanceof THREE.Mesh) || !(part.material instanceof THREE.MeshLambertMaterial)) return;
      const own = part.userData["found"] as Found | undefined;
      const hit = found !== null && own?.kind === found.kind && own.index === found.index;
      part.material.emissive.set(hit ? "#5c4a00" : "#000000");
    });
    this.tracePath(found?.kind === "body" ? found.index : -1);
    this.onSelect(found);
    this.invalidate();
  }

  private listenForClicks(): void {
    let down: [number, number] | null = null;
    this.canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    this.canvas.addEventListener("pointerup", (event) => {
      if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      const box = this.canvas.getBoundingClientRect();
      this.select(this.pick(event.clientX - box.left, event.clientY - box.top));
    });
  }

  /** What lies under a point of the picture. */
  pick(x: number, y: number): Found | null {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((2 * x) / w - 1, 1 - (2 * y) / h), this.look.camera);
    for (const hit of ray.intersectObjects(this.content.children, true)) {
      const found = hit.object.userData["found"] as Found | undefined;
      let seen = true;
      for (let o: THREE.Object3D | null = hit.object; o; o = o.parent) seen &&= o.visible;
      const own = !this.ghost || !isInside(hit.object, this.ghost.root);
      if (found && seen && own && (!this.second || !isInside(hit.object, this.second.root))) return found;
    }
    return null;
  }

  resize(): void {
    this.renderer.setSize(Math.max(1, this.host.clientWidth), Math.max(1, this.host.clientHeight));
    this.look.resize();
  }

  invalidate(): void {
    this.fresh = false;
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => {
      this.wanted = false;
      this.render();
    });
  }

  render(): void {
    if (this.motion === undefined || this.gone) return;
    this.renderer.render(this.world, this.look.camera);
    this.fresh = true;
    ++this.frames;
  }

  get isFresh(): boolean {
    return this.fresh;
  }

  /** The picture as it is now. */
  picture(): Promise<Blob> {
    this.render();
    return new Promise((resolve, reject) =>
      this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
    );
  }

  /** A copy on white for paper, where what a graphics card has drawn does not come out. */
  drawOnPaper(paper: HTMLCanvasElement): void {
    const shown = this.world.background;
    this.world.background = new THREE.Color("#ffffff");
    this.render();
    paper.width = this.canvas.width;
    paper.height = this.canvas.height;
    paper.getContext("2d")!.drawImage(this.canvas, 0, 0);
    this.world.background = shown;
    this.invalidate();
  }

  /** Colours of the picture, for tests. */
  pixels(): Uint8Array {
    this.render();
    const gl = this.renderer.getContext();
    const { drawingBufferWidth: w, drawingBufferHeight: h } = gl;
    const out = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, out);
    return out;
  }

  /** Draws, and waits until it is drawn: for measurements. */
  pixel(): void {
    this.render();
    const gl = this.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }

  /** Where the origin of a body is in the picture, in pixels of the page. */
  project(body: number): { x: number; y: number } {
    const com = this.scene.bodies[body].com;
    const p = this.company.point({ body, o: com, x: [1, 0, 0], z: [0, 0, 1] }, new THREE.Vector3());
    this.look.camera.updateMatrixWorld();
    p.project(this.look.camera);
    return { x: ((p.x + 1) / 2) * this.canvas.clientWidth, y: ((1 - p.y) / 2) * this.canvas.clientHeight };
  }

  /** The frame of a body as drawn: sixteen numbers, columns first. */
  bodyMatrix(body: number, second = false): number[] {
    return ((second ? this.second : null) ?? this.company).groups[body].matrix.toArray();
  }

  /** World position of a body's centre of mass. */
  center_of(body: number): [number, number, number] {
    const p = this.company.point(
      { body, o: this.scene.bodies[body].com, x: [1, 0, 0], z: [0, 0, 1] }, new THREE.Vector3());
    return [p.x, p.y, p.z];
  }
}
