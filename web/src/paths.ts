// The way of a muscle through its points, and round what stands in its way.

import * as THREE from "three";
import type { Obstacle } from "./data.js";

/** Pieces of the arc on an obstacle. */
export const ARC = 10;

/** Angle from a to b about +z with the sense of `side`, from a little against it to three quarters of a turn with it. */
function turned(a: THREE.Vector2, b: THREE.Vector2, side: number): number {
  const angle = Math.atan2(side * (a.x * b.y - a.y * b.x), a.dot(b));
  return angle < -Math.PI / 2 ? angle + 2 * Math.PI : angle;
}

/**
 * Points from a to b round a circle about the origin, in its plane: a, the arc, b. Where the straight line goes past it,
 * a and b alone. Tangents touch the circle acos(r / |a|) further on.
 */
function roundCircle(a: THREE.Vector2, b: THREE.Vector2, r: number, side: number): { at: THREE.Vector2[]; way: number[] } {
  const straight = { at: [a, b], way: [0, a.distanceTo(b)] };
  if (a.length() <= r || b.length() <= r) return straight;
  const leave = Math.acos(r / a.length());
  const wrap = turned(a, b, side) - leave - Math.acos(r / b.length());
  if (wrap <= 0) return straight;
  const at = [a];
  const way = [0, Math.sqrt(a.lengthSq() - r * r)];
  const first = Math.atan2(a.y, a.x) + side * leave;
  for (let i = 0; i <= ARC; ++i) {
    const angle = first + (side * wrap * i) / ARC;
    at.push(new THREE.Vector2(r * Math.cos(angle), r * Math.sin(angle)));
    if (i > 0) way.push(way[way.length - 1] + (r * wrap) / ARC);
  }
  at.push(b);
  way.push(way[way.length - 1] + Math.sqrt(b.lengthSq() - r * r));
  return { at, way };
}

/** Points from a to b round an obstacle with the frame `frame`; unrolled, the way on a cylinder is straight. */
export function roundObstacle(a: THREE.Vector3, b: THREE.Vector3, obstacle: Obstacle, frame: THREE.Matrix4): THREE.Vector3[] {
  const back = frame.clone().invert();
  const p = a.clone().applyMatrix4(back);
  const q = b.clone().applyMatrix4(back);
  if (obstacle.kind === "sphere") {
    // In the plane through the centre and both points, the short way.
    const x = p.clone().normalize();
    const y = q.clone().addScaledVector(x, -q.dot(x));
    if (y.length() < 1e-12 * q.length()) return [a, b];
    y.normalize();
    const { at } = roundCircle(new THREE.Vector2(p.length(), 0), new THREE.Vector2(q.dot(x), q.dot(y)), obstacle.radius, 1);
    return at.map((s) => x.clone().multiplyScalar(s.x).addScaledVector(y, s.y).applyMatrix4(frame));
  }
  const { at, way } = roundCircle(new THREE.Vector2(p.x, p.y), new THREE.Vector2(q.x, q.y), obstacle.radius, obstacle.sense);
  const whole = way[way.length - 1] || 1;
  return at.map((s, i) => new THREE.Vector3(s.x, s.y, p.z + ((q.z - p.z) * way[i]) / whole).applyMatrix4(frame));
}
