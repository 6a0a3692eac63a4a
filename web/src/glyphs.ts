// What belongs to bodies but is none: joints, springs, muscles, contacts, arrows of forces, markers.

import * as THREE from "three";
import { indexBefore } from "./clock.js";
import type { Company, Found } from "./company.js";
import type { Force, Motion, Place, Scene, Vec3 } from "./data.js";
import { color } from "./dom.js";
import { ARC, roundObstacle } from "./paths.js";
import { coil, jointGeometry, unitArrow, unitRod, vec } from "./shapes.js";

const tension = new THREE.Color("#d55e00");
const compression = new THREE.Color("#0072b2");
/** Of a muscle without tension. */
const slack = new THREE.Color("#7fb2d6");
/** Forces with arrows: more of them would hide the bodies. */
const MOST_ARROWS = 200;

/** Which of them are to be seen. */
export interface GlyphLayers {
  markers: boolean;
  joints: boolean;
  forces: boolean;
}

/** How a force is drawn: the way of its line, its colour, its arrows (where they begin, where they point). */
export interface ForceFacts {
  way: Vec3[];
  color: string;
  arrows: { at: Vec3; vector: Vec3 }[];
}

export class Glyphs {
  readonly root = new THREE.Group();
  private springs: { mesh: THREE.Mesh; from: Place; to: Place; force: number }[] = [];
  private muscles: { parts: THREE.Mesh[]; obstacle: THREE.Mesh | null; force: number }[] = [];
  private contacts: { mesh: THREE.Mesh; force: number }[] = [];
  private arrows: { root: THREE.Group; from: number; to: number; force: number }[] = [];
  private joints: { mesh: THREE.Mesh; place: Place }[] = [];
  private modelMarkers: { mesh: THREE.Mesh; place: Place }[] = [];
  private measured: { mesh: THREE.Mesh; line: THREE.Line; index: number }[] = [];
  private strongest = 1;
  private strongestMuscle = 0;
  /** How long arrows are drawn, relative to what is chosen for them. */
  arrowScale = 1;

  constructor(
    private scene: Scene,
    private motion: Motion,
    private company: Company,
  ) {
    const size = 0.014 * scene.extent;
    this.buildJoints(size);
    this.buildForces(size);
    this.buildMarkers(size);
  }

  private buildJoints(size: number): void {
    const { scene } = this;
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
      this.root.add(mesh);
      this.joints.push({ mesh, place: joint.end });
    });
  }

  private buildForces(size: number): void {
    const { scene, motion } = this;
    const many = scene.forces.length;
    this.strongest = 0;
    if (motion.forces) for (const f of motion.forces) if (Math.abs(f) > this.strongest) this.strongest = Math.abs(f);
    if (!(this.strongest > 0)) this.strongest = 1;
    this.strongestMuscle = 0;
    scene.forces.forEach((force, index) => {
      if (force.look === "muscle") {
        for (let k = index; motion.forces && k < motion.forces.length; k += many) {
          if (motion.forces[k] > this.strongestMuscle) this.strongestMuscle = motion.forces[k];
        }
        this.buildMuscle(force, index, size);
      } else if (force.look === "contact") {
        this.buildContact(index, size);
      } else {
        this.buildLines(force, index, size);
      }
      if (many <= MOST_ARROWS && motion.forces) this.buildArrows(force, index, size);
    });
  }

  private paintable(geometry: THREE.BufferGeometry, index: number): THREE.Mesh {
    const mesh = new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ color: "#6a737d" }));
    mesh.matrixAutoUpdate = false;
    mesh.userData["found"] = { kind: "force", index } satisfies Found;
    this.root.add(mesh);
    return mesh;
  }

  private buildLines(force: Force, index: number, size: number): void {
    for (let i = 0; i + 1 < force.ends.length; ++i) {
      const geometry = force.elastic && force.ends.length === 2 ? coil(2.4 * size, 0.3 * size) : unitRod(0.3 * size);
      this.springs.push({ mesh: this.paintable(geometry, index), from: force.ends[i], to: force.ends[i + 1], force: index });
    }
  }

  /** As many rods as its way can have pieces, and what it goes round. */
  private buildMuscle(force: Force, index: number, size: number): void {
    const { obstacle } = force;
    const count = obstacle ? force.ends.length - 3 + ARC + 2 : force.ends.length - 1;
    const parts = Array.from({ length: count }, () => this.paintable(unitRod(0.55 * size), index));
    let body: THREE.Mesh | null = null;
    if (obstacle) {
      const r = obstacle.radius;
      const geometry = obstacle.kind === "sphere" ? new THREE.SphereGeometry(r, 20, 14) : new THREE.CylinderGeometry(r, r, 3 * r, 20);
      if (obstacle.kind === "cylinder") geometry.rotateX(Math.PI / 2);
      body = this.paintable(geometry, index);
      const material = body.material as THREE.MeshLambertMaterial;
      material.transparent = true;
      material.opacity = 0.35;
      material.depthWrite = false;
    }
    this.muscles.push({ parts, obstacle: body, force: index });
  }

  /** A disc at the point that touches, across the direction of its force. */
  private buildContact(index: number, size: number): void {
    const disc = new THREE.CylinderGeometry(1.1 * size, 1.1 * size, 0.3 * size, 16);
    disc.rotateX(Math.PI / 2);
    const mesh = this.paintable(disc, index);
    seenThrough(mesh.material as THREE.MeshLambertMaterial).opacity = 0.6;
    mesh.renderOrder = 1;
    this.contacts.push({ mesh, force: index });
  }

  /** One on each body that is pulled or pushed; of a contact on the one that touches. */
  private buildArrows(force: Force, index: number, size: number): void {
    const last = force.ends.length - 1;
    const pairs = force.look === "contact" ? [[last, 0]] : [[0, 1], [last, last - 1]];
    for (const [from, to] of pairs) {
      const root = new THREE.Group();
      root.matrixAutoUpdate = false;
      const material = seenThrough(new THREE.MeshLambertMaterial({ color: "#009e73" }));
      for (const part of unitArrow(0.35 * size)) {
        const mesh = new THREE.Mesh(part, material);
        mesh.renderOrder = 2;
        root.add(mesh);
      }
      this.root.add(root);
      this.arrows.push({ root, from, to, force: index });
    }
  }

  private buildMarkers(size: number): void {
    const { scene, motion } = this;
    const black = color("data");
    // Many balls hide each other and the lines to where the model has them.
    const share = motion.measured.length > 12 ? 0.35 : 1;
    scene.markers.forEach((marker, index) => {
      const mesh = new THREE.Mesh(
        new THREE.SphereGeometry(0.5 * share * size, 8, 6),
        new THREE.MeshLambertMaterial({ color: black }),
      );
      mesh.userData["found"] = { kind: "marker", index } satisfies Found;
      this.root.add(mesh);
      this.modelMarkers.push({ mesh, place: marker.place });
    });
    motion.measured.forEach((_marker, index) => {
      const paint = "#d55e00";
      const mesh = new THREE.Mesh(
        new THREE.SphereGeometry(1.1 * share * size, 12, 8),
        new THREE.MeshLambertMaterial({ color: paint, depthTest: false, transparent: true }),
      );
      mesh.renderOrder = 2; // seen through bodies
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.Float32BufferAttribute(new Float32Array(6), 3));
      const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: paint, depthTest: false, transparent: true }));
      line.renderOrder = 2;
      line.frustumCulled = false;
      this.root.add(mesh, line);
      this.measured.push({ mesh, line, index });
    });
  }

  /** Puts them where they are at time t, in frame a. */
  pose(t: number, a: number, layers: GlyphLayers): void {
    const { motion, scene } = this;
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
      stretch(mesh.matrix, this.company.point(from, p), this.company.point(to, q), 0);
      mesh.matrixWorldNeedsUpdate = true;
      const f = strength(force);
      const ink = paint(mesh).set("#6a737d");
      if (Number.isFinite(f)) ink.lerp(f > 0 ? tension : compression, Math.min(1, Math.abs(f) / this.strongest));
    }
    this.poseMuscles(strength);
    for (const { mesh, force } of this.contacts) {
      const { ends } = scene.forces[force];
      this.company.point(ends[ends.length - 1], p);
      stretch(mesh.matrix, p, q.copy(p).add(this.direction(scene.forces[force])), 1);
      mesh.matrixWorldNeedsUpdate = true;
      paint(mesh).set("#6a737d").lerp(compression, Math.min(1, 4 * (strength(force) || 0) / this.strongest));
    }
    for (const { root, from, to, force } of this.arrows) {
      const f = strength(force);
      const length = Number.isFinite(f) ? (0.3 * scene.extent * this.arrowScale * f) / this.strongest : 0;
      root.visible = layers.forces && Math.abs(length) > 1e-3 * scene.extent;
      if (!root.visible) continue;
      const { ends, along } = scene.forces[force];
      this.company.point(ends[from], p);
      if (along) q.copy(p).addScaledVector(this.direction(scene.forces[force]), from === 0 ? -1 : 1);
      else this.company.point(ends[to], q);
      if (length < 0) q.copy(p.clone().multiplyScalar(2).sub(q));
      stretch(root.matrix, p, q, Math.abs(length));
      root.matrixWorldNeedsUpdate = true;
    }
    for (const { mesh, place } of this.modelMarkers) {
      mesh.visible = layers.markers;
      this.company.point(place, mesh.position);
    }
    this.poseMeasured(t, layers.markers);
  }

  /** The way of a muscle now. */
  way(force: Force): THREE.Vector3[] {
    const points = force.ends.map((end) => this.company.point(end, new THREE.Vector3()));
    if (!force.obstacle) return points;
    const at = points.length - 2;
    const frame = this.company.frame(force.ends[at], new THREE.Matrix4());
    return [...points.slice(0, at - 1), ...roundObstacle(points[at - 1], points[at + 1], force.obstacle, frame)];
  }

  factsOf(force: number): ForceFacts {
    const about = this.scene.forces[force];
    const parts = [...this.springs.filter((s) => s.force === force).map((s) => s.mesh),
      ...this.muscles.filter((m) => m.force === force).flatMap((m) => m.parts),
      ...this.contacts.filter((c) => c.force === force).map((c) => c.mesh)];
    const column = (matrix: THREE.Matrix4, k: number): Vec3 => new THREE.Vector3().setFromMatrixColumn(matrix, k).toArray();
    return {
      way: this.way(about).map((p) => p.toArray()),
      color: parts.length > 0 ? "#" + paint(parts[0]).getHexString() : "",
      arrows: this.arrows.filter((a) => a.force === force && a.root.visible)
        .map(({ root }) => ({ at: column(root.matrix, 3), vector: column(root.matrix, 2) })),
    };
  }

  private poseMuscles(strength: (force: number) => number): void {
    for (const { parts, obstacle, force } of this.muscles) {
      const about = this.scene.forces[force];
      const way = this.way(about);
      const pull = this.strongestMuscle > 0 ? Math.max(0, strength(force) || 0) / this.strongestMuscle : 0;
      parts.forEach((mesh, i) => {
        mesh.visible = i + 1 < way.length;
        if (!mesh.visible) return;
        stretch(mesh.matrix, way[i], way[i + 1], 0);
        mesh.matrixWorldNeedsUpdate = true;
        paint(mesh).copy(slack).lerp(tension, Math.min(1, pull));
      });
      if (!obstacle) continue;
      this.company.frame(about.ends[about.ends.length - 2], obstacle.matrix);
      obstacle.matrixWorldNeedsUpdate = true;
    }
  }

  /** In which a force that does not act along the line of its ends pushes its last end when it is positive. */
  private direction(force: Force): THREE.Vector3 {
    if (force.along === "z") return new THREE.Vector3(0, 0, 1);
    if (force.along === "radial") {
      const from = this.company.point(force.ends[0], new THREE.Vector3());
      return this.company.point(force.ends[force.ends.length - 1], new THREE.Vector3()).sub(from).normalize();
    }
    const frame = this.company.frame(force.ends[0], new THREE.Matrix4());
    return new THREE.Vector3().setFromMatrixColumn(frame, 2);
  }

  private poseMeasured(t: number, shown: boolean): void {
    const p = new THREE.Vector3();
    for (const { mesh, line, index } of this.measured) {
      const marker = this.motion.measured[index];
      let i = indexBefore(marker.t, t);
      if (i + 1 < marker.t.length && marker.t[i + 1] - t < t - marker.t[i]) ++i;
      const gap = marker.t.length > 1 ? (marker.t[marker.t.length - 1] - marker.t[0]) / (marker.t.length - 1) : Infinity;
      const near = Math.abs(marker.t[i] - t) <= 0.75 * gap;
      const missing = [0, 1, 2].every((k) => marker.points[3 * i + k] === null);
      mesh.visible = line.visible = near && !missing && shown;
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
}

/** Seen through bodies, in which contacts and ends of forces often lie. */
function seenThrough(material: THREE.MeshLambertMaterial): THREE.MeshLambertMaterial {
  material.depthTest = false;
  material.transparent = true;
  return material;
}

function paint(mesh: THREE.Mesh): THREE.Color {
  return (mesh.material as THREE.MeshLambertMaterial).color;
}

/** Turns +z, along which springs are made, into the direction from a to b; the length scales z only. */
function stretch(matrix: THREE.Matrix4, a: THREE.Vector3, b: THREE.Vector3, length: number): void {
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
