// How large a motion is, and the ground below it.

import * as THREE from "three";
import type { Motion, Place, Scene } from "./data.js";
import { color } from "./dom.js";
import { vec } from "./shapes.js";

/** The ball and the box around everything that moves, and the height of its lowest point. */
export interface Bounds {
  center: THREE.Vector3;
  radius: number;
  corners: THREE.Vector3[];
  lowest: number;
}

export function boundsOf(scene: Scene, motion: Motion): Bounds {
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
  const radius = Math.max(ball.radius, 0.35 * scene.extent, 1e-6);
  box.expandByScalar(0.06 * radius); // bodies are thicker than their points
  const corners: THREE.Vector3[] = [];
  for (const x of [box.min.x, box.max.x]) {
    for (const y of [box.min.y, box.max.y]) {
      for (const z of [box.min.z, box.max.z]) corners.push(new THREE.Vector3(x, y, z));
    }
  }
  return {
    center: ball.center.clone(),
    radius,
    corners,
    lowest: Number.isFinite(low) ? low : 0,
  };
}

/** Lines on the ground: 1, 2 or 5 times a power of ten apart, about twenty of them. */
export function makeGrid(scene: Scene, bounds: Bounds): THREE.GridHelper {
  const rough = (4 * bounds.radius) / 20;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough) ?? 10 * power;
  const count = 2 * Math.ceil((2.2 * bounds.radius) / step);
  const edge = new THREE.Color(color("edge"));
  const grid = new THREE.GridHelper(count * step, count, edge.clone().multiplyScalar(0.75), edge);
  const up = vec(scene.up);
  grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
  // A little below the lowest point, or at the ground where that is near.
  let height = bounds.lowest - 0.02 * bounds.radius;
  if (Math.abs(bounds.lowest) < 0.02 * bounds.radius) height = -0.001 * bounds.radius;
  const across = bounds.center.clone().addScaledVector(up, -bounds.center.dot(up));
  const snap = (x: number): number => Math.round(x / step) * step;
  grid.position.set(snap(across.x), snap(across.y), snap(across.z)).addScaledVector(up, height);
  return grid;
}
