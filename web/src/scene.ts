// The moving picture: bodies, joints, springs, markers. Draws only when something changed.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Clock, indexBefore } from "./clock.js";
import type { Motion, Place, Scene } from "./data.js";
import { color } from "./dom.js";
import { bodyColor, coil, jointGeometry, makeShape, unitArrow, unitRod, vec } from "./shapes.js";

export type ViewName = "front" | "side" | "top" | "free";

/** What a click has found. */
export interface Found {
  kind: "body" | "joint" | "force" | "marker";
  index: number;
}

interface Layers {
  ghost: boolean;
  markers: boolean;
  joints: boolean;
  forces: boolean;
  grid: boolean;
  path: boolean;
  bodies: boolean;
}

const tension = new THREE.Color("#d55e00");
const compression = new THREE.Color("#0072b2");

/** One set of bodies: as fitted, as first guessed, or of another run. */
class Company {
  readonly groups: THREE.Group[] = [];
  readonly root = new THREE.Group();

  constructor(scene: Scene, tint: string | null, opacity: number) {
    scene.bodies.forEach((body, i) => {
      const group = new THREE.Group();
      group.matrixAutoUpdate = false;
      for (const shape of body.shapes) {
        const material = new THREE.MeshLambertMaterial({
          color: tint ?? (shape.color || bodyColor(i)),
          opacity: opacity * shape.opacity,
          transparent: opacity * shape.opacity < 1,
          depthWrite: opacity * shape.opacity >= 1,
          polygonOffset: opacity < 1,
          polygonOffsetFactor: 1,
          polygonOffsetUnits: 4,
          flatShading: shape.kind === "mesh" || shape.kind === "plate",
          side: shape.kind === "mesh" ? THREE.DoubleSide : THREE.FrontSide,
        });
        const mesh = makeShape(shape, scene.meshes, material);
        mesh.userData["found"] = { kind: "body", index: i } satisfies Found;
        group.add(mesh);
      }
      this.groups.push(group);
      this.root.add(group);
    });
  }

  /** Between two frames on a straight line. */
  pose(frames: Float32Array, a: number, b: number, part: number): void {
    const n = this.groups.length;
    this.groups.forEach((group, i) => {
      const p = 12 * (a * n + i);
      const q = 12 * (b * n + i);
      const at = (k: number): number => frames[p + k] + part * (frames[q + k] - frames[p + k]);
      group.matrix.set(
        at(3), at(6), at(9), at(0),
        at(4), at(7), at(10), at(1),
        at(5), at(8), at(11), at(2),
        0, 0, 0, 1,
      );
      group.matrixWorldNeedsUpdate = true;
    });
  }

  /** A point of a body in the world. */
  point(place: Place, target: THREE.Vector3): THREE.Vector3 {
    target.set(place.o[0], place.o[1], place.o[2]);
    return place.body < 0 ? target : target.applyMatrix4(this.groups[place.body].matrix);
  }
}

export class SceneView {
  readonly canvas: HTMLCanvasElement;
  readonly software: boolean;
  private ownScenes: number;
  private renderer: THREE.WebGLRenderer;
  private world = new THREE.Scene();
  private perspective = new THREE.PerspectiveCamera(38, 1, 0.01, 1000);
  private flat = new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  private camera: THREE.PerspectiveCamera | THREE.OrthographicCamera = this.perspective;
  private controls: OrbitControls;
  private content = new THREE.Group();
  private company!: Company;
  private ghost: Company | null = null;
  private second: Company | null = null;
  private springs: { mesh: THREE.Mesh; from: Place; to: Place; force: number }[] = [];
  private arrows: { root: THREE.Group; from: Place; to: Place; force: number }[] = [];
  private joints: { mesh: THREE.Mesh; place: Place }[] = [];
  private modelMarkers: { mesh: THREE.Mesh; place: Place }[] = [];
  private measured: { mesh: THREE.Mesh; line: THREE.Line; index: number }[] = [];
  private path: THREE.Line | null = null;
  private grid: THREE.GridHelper | null = null;
  private strongest = 1;
  private center = new THREE.Vector3();
  private radius = 1;
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
    const sun = new THREE.DirectionalLight("#ffffff", 1.6);
    sun.position.set(0.4, 0.8, 1);
    this.perspective.add(sun);
    const flatSun = sun.clone();
    this.flat.add(flatSun);
    this.world.add(sky, this.content, this.perspective, this.flat);
    this.controls = new OrbitControls(this.perspective, this.canvas);
    this.controls.addEventListener("change", () => this.invalidate());
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
    if (this.grid) this.makeGrid();
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
    if (Math.abs(other.radius / this.radius - 1) > 0.1) return;
    this.aimed = null;
    this.camera.position.copy(other.camera.position);
    this.controls.target.copy(other.controls.target);
    this.controls.update();
    this.pose();
  }

  dispose(): void {
    this.gone = true;
    this.controls.dispose();
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
    this.springs = [];
    this.arrows = [];
    this.joints = [];
    this.modelMarkers = [];
    this.measured = [];
    this.path = null;
    const { scene, motion } = this;
    this.measureBounds();
    const size = 0.014 * scene.extent;
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
    const dark = new THREE.MeshLambertMaterial({ color: "#444c56" });
    scene.joints.forEach((joint, index) => {
      if (joint.key === "Free") return;
      const mesh = new THREE.Mesh(jointGeometry(joint.key, size), dark.clone());
      const x = vec(joint.end.x);
      const z = vec(joint.end.z);
      mesh.userData["frame"] = new THREE.Matrix4()
        .makeBasis(x, z.clone().cross(x), z)
        .setPosition(...joint.end.o);
      mesh.userData["found"] = { kind: "joint", index } satisfies Found;
      mesh.matrixAutoUpdate = false;
      this.content.add(mesh);
      this.joints.push({ mesh, place: joint.end });
    });
    this.buildForces(size);
    this.buildMarkers(size);
    this.makeGrid();
  }

  private buildForces(size: number): void {
    const { scene, motion } = this;
    const many = scene.forces.length;
    this.strongest = 0;
    if (motion.forces) for (const f of motion.forces) if (Math.abs(f) > this.strongest) this.strongest = Math.abs(f);
    if (!(this.strongest > 0)) this.strongest = 1;
    scene.forces.forEach((force, index) => {
      for (let i = 0; i + 1 < force.ends.length; ++i) {
        const geometry = force.elastic && force.ends.length === 2 ? coil(2.4 * size, 0.3 * size) : unitRod(0.3 * size);
        const mesh = new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ color: "#57606a" }));
        mesh.matrixAutoUpdate = false;
        mesh.userData["found"] = { kind: "force", index } satisfies Found;
        this.content.add(mesh);
        this.springs.push({ mesh, from: force.ends[i], to: force.ends[i + 1], force: index });
      }
      if (many > 200 || !motion.forces) return;
      const ends = force.ends;
      const arrow = (from: Place, to: Place): void => {
        const root = new THREE.Group();
        root.matrixAutoUpdate = false;
        const material = new THREE.MeshLambertMaterial({ color: "#009e73" });
        for (const part of unitArrow(0.35 * size)) root.add(new THREE.Mesh(part, material));
        this.content.add(root);
        this.arrows.push({ root, from, to, force: index });
      };
      arrow(ends[0], ends[1]);
      arrow(ends[ends.length - 1], ends[ends.length - 2]);
    });
  }

  private buildMarkers(size: number): void {
    const { scene, motion } = this;
    const black = color("data");
    scene.markers.forEach((marker, index) => {
      const mesh = new THREE.Mesh(
        new THREE.SphereGeometry(0.5 * size, 8, 6),
        new THREE.MeshLambertMaterial({ color: black }),
      );
      mesh.userData["found"] = { kind: "marker", index } satisfies Found;
      this.content.add(mesh);
      this.modelMarkers.push({ mesh, place: marker.place });
    });
    motion.measured.forEach((_marker, index) => {
      const paint = "#d55e00";
      const mesh = new THREE.Mesh(
        new THREE.SphereGeometry(1.1 * size, 12, 8),
        new THREE.MeshLambertMaterial({ color: paint, depthTest: false, transparent: true }),
      );
      mesh.renderOrder = 2; // seen through bodies
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.Float32BufferAttribute(new Float32Array(6), 3));
      const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: paint, depthTest: false, transparent: true }));
      line.renderOrder = 2;
      line.frustumCulled = false;
      this.content.add(mesh, line);
      this.measured.push({ mesh, line, index });
    });
  }

  /** The ball around everything that moves, and the lowest point. */
  private lowest = 0;
  private measureBounds(): void {
    const { scene, motion } = this;
    const box = new THREE.Box3();
    const up = vec(scene.up);
    const p = new THREE.Vector3();
    let low = Infinity;
    const add = (): void => {
      if (!Number.isFinite(p.x + p.y + p.z)) return;
      box.expandByPoint(p);
      low = Math.min(low, p.dot(up));
    };
    const n = scene.bodies.length;
    const points: Place[] = [];
    for (const joint of scene.joints) points.push(joint.begin, joint.end);
    for (const force of scene.forces) points.push(...force.ends);
    for (const marker of scene.markers) points.push(marker.place);
    scene.bodies.forEach((body, i) => {
      const place = (o: [number, number, number]): void => {
        points.push({ body: i, o, x: [1, 0, 0], z: [0, 0, 1] });
      };
      place(body.com);
      for (const shape of body.shapes) {
        if (shape.kind === "cylinder" || shape.kind === "capsule") place(shape.from), place(shape.to);
        else place(shape.o);
      }
    });
    const stride = Math.max(1, Math.floor(motion.t.length / 60));
    for (let k = 0; k < motion.t.length; k += stride) {
      for (const place of points) {
        if (place.body < 0) {
          p.set(...place.o);
        } else {
          const f = 12 * (k * n + place.body);
          const at = (i: number): number =>
            motion.frames[f + i] + place.o[0] * motion.frames[f + 3 + i] +
            place.o[1] * motion.frames[f + 6 + i] + place.o[2] * motion.frames[f + 9 + i];
          p.set(at(0), at(1), at(2));
        }
        add();
      }
    }
    if (box.isEmpty()) box.expandByPoint(new THREE.Vector3());
    const ball = box.getBoundingSphere(new THREE.Sphere());
    this.center.copy(ball.center);
    this.radius = Math.max(ball.radius, 0.35 * scene.extent, 1e-6);
    this.lowest = Number.isFinite(low) ? low : 0;
  }

  private makeGrid(): void {
    if (this.grid) {
      this.content.remove(this.grid);
      this.forget(this.grid);
    }
    // Lines of 1, 2 or 5 times a power of ten, about twenty of them.
    const rough = (4 * this.radius) / 20;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough) ?? 10 * power;
    const count = 2 * Math.ceil((2.2 * this.radius) / step);
    const edge = new THREE.Color(color("edge"));
    this.grid = new THREE.GridHelper(count * step, count, edge.clone().multiplyScalar(0.75), edge);
    const up = vec(this.scene.up);
    this.grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
    // A little below the lowest point, or at the ground where that is near.
    let height = this.lowest - 0.02 * this.radius;
    if (Math.abs(this.lowest) < 0.02 * this.radius) height = -0.001 * this.radius;
    const across = this.center.clone().addScaledVector(up, -this.center.dot(up));
    const snap = (x: number): number => Math.round(x / step) * step;
    this.grid.position.set(snap(across.x), snap(across.y), snap(across.z)).addScaledVector(up, height);
    this.content.add(this.grid);
  }

  // Turns +z, along which springs are made, into the direction from a to b; the length scales z only.
  private stretch(matrix: THREE.Matrix4, a: THREE.Vector3, b: THREE.Vector3, length: number): void {
    const z = b.clone().sub(a);
    const real = z.length();
    if (real < 1e-12) {
      matrix.makeScale(0, 0, 0);
      return;
    }
    z.divideScalar(real);
    const x = new THREE.Vector3(1, 0, 0);
    if (Math.abs(z.x) > 0.8) x.set(0, 1, 0);
    x.addScaledVector(z, -x.dot(z)).normalize();
    const y = z.clone().cross(x);
    matrix.makeBasis(x, y, z.multiplyScalar(length || real)).setPosition(a);
  }

  /** Puts everything where it is at the time of the clock. */
  pose(): void {
    const { motion, scene, layers } = this;
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
    const p = new THREE.Vector3();
    const q = new THREE.Vector3();
    for (const { mesh, place } of this.joints) {
      mesh.visible = layers.joints;
      mesh.matrix.copy(mesh.userData["frame"] as THREE.Matrix4);
      if (place.body >= 0) mesh.matrix.premultiply(this.company.groups[place.body].matrix);
      mesh.matrixWorldNeedsUpdate = true;
    }
    const strength = (force: number): number =>
      motion.forces ? motion.forces[a * scene.forces.length + force] : NaN;
    for (const { mesh, from, to, force } of this.springs) {
      this.stretch(mesh.matrix, this.company.point(from, p), this.company.point(to, q), 0);
      mesh.matrixWorldNeedsUpdate = true;
      const f = strength(force);
      const paint = (mesh.material as THREE.MeshLambertMaterial).color;
      paint.set("#6a737d");
      if (Number.isFinite(f)) paint.lerp(f > 0 ? tension : compression, Math.min(1, Math.abs(f) / this.strongest));
    }
    for (const { root, from, to, force } of this.arrows) {
      const f = strength(force);
      const length = Number.isFinite(f) ? (0.3 * scene.extent * f) / this.strongest : 0;
      root.visible = layers.forces && Math.abs(length) > 1e-3 * scene.extent;
      if (!root.visible) continue;
      this.company.point(from, p);
      this.company.point(to, q);
      if (length < 0) q.copy(p.clone().multiplyScalar(2).sub(q));
      this.stretch(root.matrix, p, q, Math.abs(length));
      root.matrixWorldNeedsUpdate = true;
    }
    for (const { mesh, place } of this.modelMarkers) {
      mesh.visible = layers.markers;
      this.company.point(place, mesh.position);
    }
    this.poseMeasured(t);
    if (this.path) this.path.visible = layers.path;
    if (this.grid) this.grid.visible = layers.grid;
  }

  private poseMeasured(t: number): void {
    const p = new THREE.Vector3();
    for (const { mesh, line, index } of this.measured) {
      const marker = this.motion.measured[index];
      let i = indexBefore(marker.t, t);
      if (i + 1 < marker.t.length && marker.t[i + 1] - t < t - marker.t[i]) ++i;
      const gap = marker.t.length > 1 ? (marker.t[marker.t.length - 1] - marker.t[0]) / (marker.t.length - 1) : Infinity;
      const near = Math.abs(marker.t[i] - t) <= 0.75 * gap;
      mesh.visible = line.visible = near && this.layers.markers;
      if (!mesh.visible) continue;
      this.company.point(marker.place, p);
      const seen = (k: number, own: number): number => marker.points[3 * i + k] ?? own;
      mesh.position.set(seen(0, p.x), seen(1, p.y), seen(2, p.z));
      const at = line.geometry.getAttribute("position") as THREE.BufferAttribute;
      at.setXYZ(0, p.x, p.y, p.z);
      at.setXYZ(1, mesh.position.x, mesh.position.y, mesh.position.z);
      at.needsUpdate = true;
    }
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

  setLayer(name: keyof Layers, on: boolean): void {
    this.layers[name] = on;
    this.pose();
    this.invalidate();
  }

  /** Looks from a direction at everything, keeping what is up. */
  view(name: ViewName): void {
    const up = vec(this.scene.up);
    // "front" looks along a horizontal axis: world y for z up, as engineers draw it.
    const front = new THREE.Vector3(0, -1, 0);
    if (Math.abs(up.dot(front)) > 0.9) front.set(0, 0, 1);
    front.addScaledVector(up, -front.dot(up)).normalize();
    const side = up.clone().cross(front).normalize();
    const direction =
      name === "front" ? front
      : name === "side" ? side
      : name === "top" ? up.clone().addScaledVector(front, 1e-3)
      : front.clone().addScaledVector(side, 0.75).addScaledVector(up, 0.55);
    this.aim(this.center, this.radius, direction);
  }

  /** What was looked at last, as long as nobody turned it: seen again when the picture changes its shape. */
  private aimed: { center: THREE.Vector3; radius: number; direction: THREE.Vector3; aspect: number } | null = null;

  private aim(center: THREE.Vector3, radius: number, direction: THREE.Vector3): void {
    this.perspective.aspect = Math.max(1, this.host.clientWidth) / Math.max(1, this.host.clientHeight);
    this.aimed = {
      center: center.clone(), radius, direction: direction.clone(), aspect: this.perspective.aspect,
    };
    const up = vec(this.scene.up);
    const aspect = this.perspective.aspect || 1;
    const half = (this.perspective.fov * Math.PI) / 360;
    const fit = Math.min(1, 0.85 * aspect);
    const distance = (0.82 * radius) / Math.sin(Math.atan(Math.tan(half) * fit));
    const eye = center.clone().addScaledVector(direction.clone().normalize(), distance);
    for (const camera of [this.perspective, this.flat]) {
      camera.up.copy(up);
      camera.position.copy(eye);
      camera.lookAt(center);
    }
    this.perspective.near = distance / 200;
    this.perspective.far = distance * 50;
    this.flatHeight = (0.9 * radius) / fit;
    this.controls.dispose();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.target.copy(center);
    this.controls.addEventListener("change", () => this.invalidate());
    this.controls.addEventListener("start", () => (this.aimed = null));
    this.controls.update();
    this.resize();
  }
  private flatHeight = 1;

  toggleOrthographic(): void {
    const target = this.controls.target.clone();
    const from = this.camera;
    this.camera = from === this.perspective ? this.flat : this.perspective;
    const distance = from.position.distanceTo(target);
    this.camera.position.copy(from.position);
    this.camera.up.copy(from.up);
    this.camera.lookAt(target);
    this.flatHeight = distance * Math.tan((this.perspective.fov * Math.PI) / 360);
    this.controls.dispose();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.target.copy(target);
    this.controls.addEventListener("change", () => this.invalidate());
    this.aimed = null;
    this.resize();
  }

  /** Frames what is selected, or everything. */
  frame(): void {
    const direction = this.camera.position.clone().sub(this.controls.target);
    if (this.selected?.kind === "body") {
      const box = new THREE.Box3().setFromObject(this.company.groups[this.selected.index]);
      const ball = box.getBoundingSphere(new THREE.Sphere());
      this.aim(ball.center, Math.max(ball.radius, 0.05 * this.radius), direction);
    } else {
      this.aim(this.center, this.radius, direction);
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
    ray.setFromCamera(new THREE.Vector2((2 * x) / w - 1, 1 - (2 * y) / h), this.camera);
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
    const w = Math.max(1, this.host.clientWidth);
    const h = Math.max(1, this.host.clientHeight);
    if (this.aimed && Math.abs(this.aimed.aspect / (w / h) - 1) > 1e-3 && this.host.clientWidth > 0) {
      this.aim(this.aimed.center, this.aimed.radius, this.aimed.direction); // comes back here
      return;
    }
    this.renderer.setSize(w, h);
    this.perspective.aspect = w / h;
    this.perspective.updateProjectionMatrix();
    this.flat.top = this.flatHeight;
    this.flat.bottom = -this.flatHeight;
    this.flat.right = (this.flatHeight * w) / h;
    this.flat.left = -this.flat.right;
    this.flat.updateProjectionMatrix();
    this.invalidate();
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
    this.renderer.render(this.world, this.camera);
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
    this.camera.updateMatrixWorld();
    p.project(this.camera);
    return { x: ((p.x + 1) / 2) * this.canvas.clientWidth, y: ((1 - p.y) / 2) * this.canvas.clientHeight };
  }

  /** The frame of a body as drawn: sixteen numbers, columns first. */
  bodyMatrix(body: number): number[] {
    return this.company.groups[body].matrix.toArray();
  }

  /** World position of a body's centre of mass. */
  center_of(body: number): [number, number, number] {
    const p = this.company.point(
      { body, o: this.scene.bodies[body].com, x: [1, 0, 0], z: [0, 0, 1] }, new THREE.Vector3());
    return [p.x, p.y, p.z];
  }
}

function isInside(object: THREE.Object3D, root: THREE.Object3D): boolean {
  for (let o: THREE.Object3D | null = object; o; o = o.parent) if (o === root) return true;
  return false;
}
