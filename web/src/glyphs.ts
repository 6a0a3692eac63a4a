// What belongs to bodies but is none: joints, springs, arrows of forces, markers.

import * as THREE from "three";
import { indexBefore } from "./clock.js";
import type { Company, Found } from "./company.js";
import type { Motion, Place, Scene } from "./data.js";
import { color } from "./dom.js";
import { coil, jointGeometry, unitArrow, unitRod, vec } from "./shapes.js";

const tension = new THREE.Color("#d55e00");
const compression = new THREE.Color("#0072b2");

/** Which of them are to be seen. */
export interface GlyphLayers {
  markers: boolean;
  joints: boolean;
  forces: boolean;
}

export class Glyphs {
  readonly root = new THREE.Group();
  private springs: { mesh: THREE.Mesh; from: Place; to: Place; force: number }[] = [];
  private arrows: { root: THREE.Group; from: Place; to: Place; force: number }[] = [];
  private joints: { mesh: THREE.Mesh; place: Place }[] = [];
  private modelMarkers: { mesh: THREE.Mesh; place: Place }[] = [];
  private measured: { mesh: THREE.Mesh; line: THREE.Line; index: number }[] = [];
  private strongest = 1;

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
    scene.forces.forEach((force, index) => {
      for (let i = 0; i + 1 < force.ends.length; ++i) {
        const geometry = force.elastic && force.ends.length === 2 ? coil(2.4 * size, 0.3 * size) : unitRod(0.3 * size);
        const mesh = new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ color: "#57606a" }));
        mesh.matrixAutoUpdate = false;
        mesh.userData["found"] = { kind: "force", index } satisfies Found;
        this.root.add(mesh);
        this.springs.push({ mesh, from: force.ends[i], to: force.ends[i + 1], force: index });
      }
      if (many > 200 || !motion.forces) return;
      const ends = force.ends;
      const arrow = (from: Place, to: Place): void => {
        const root = new THREE.Group();
        root.matrixAutoUpdate = false;
        const material = new THREE.MeshLambertMaterial({ color: "#009e73" });
        for (const part of unitArrow(0.35 * size)) root.add(new THREE.Mesh(part, material));
        this.root.add(root);
        this.arrows.push({ root, from, to, force: index });
      };
      arrow(ends[0], ends[1]);
      arrow(ends[ends.length - 1], ends[ends.length - 2]);
    });
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
      stretch(root.matrix, p, q, Math.abs(length));
      root.matrixWorldNeedsUpdate = true;
    }
    for (const { mesh, place } of this.modelMarkers) {
      mesh.visible = layers.markers;
      this.company.point(place, mesh.position);
    }
    this.poseMeasured(t, layers.markers);
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
