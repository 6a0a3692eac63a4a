// Shapes of bodies as triangles. Few segments: a software renderer must keep up.

import * as THREE from "three";
import type { Mesh, Shape, Vec3 } from "./data.js";

/** Okabe and Ito's colours, which colour-blind readers can tell apart, without black and yellow. */
const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"];

export function bodyColor(i: number): string {
  return PALETTE[i % PALETTE.length];
}

export const vec = (p: Vec3): THREE.Vector3 => new THREE.Vector3(p[0], p[1], p[2]);

/** Turns +y, along which three.js makes cylinders, into the direction from a to b. */
function along(mesh: THREE.Object3D, a: THREE.Vector3, b: THREE.Vector3): void {
  const axis = b.clone().sub(a);
  mesh.position.copy(a).addScaledVector(axis, 0.5);
  mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), axis.normalize());
}

function plate(shape: Shape): THREE.BufferGeometry {
  const numbers = shape.points ?? [];
  const outline = new THREE.Shape();
  for (let i = 0; i < numbers.length; i += 3) {
    if (i === 0) outline.moveTo(numbers[i], numbers[i + 1]);
    else outline.lineTo(numbers[i], numbers[i + 1]);
  }
  const geometry = new THREE.ExtrudeGeometry(outline, { depth: 2 * shape.radius, bevelEnabled: false });
  geometry.translate(0, 0, -shape.radius);
  return geometry;
}

function meshGeometry(mesh: Mesh, scale: number): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(mesh.vertices.map((x) => x * scale), 3));
  geometry.setIndex(mesh.faces);
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

export function geometryOf(shape: Shape, meshes: Mesh[]): THREE.BufferGeometry {
  switch (shape.kind) {
    case "box":
      return new THREE.BoxGeometry(...shape.size);
    case "sphere":
      return new THREE.SphereGeometry(shape.radius, 16, 10);
    case "ellipsoid": {
      const ball = new THREE.SphereGeometry(0.5, 18, 12);
      ball.scale(...shape.size);
      return ball;
    }
    case "cylinder":
      return new THREE.CylinderGeometry(shape.radius, shape.radius, vec(shape.from).distanceTo(vec(shape.to)), 14);
    case "capsule":
      return new THREE.CapsuleGeometry(shape.radius, vec(shape.from).distanceTo(vec(shape.to)), 3, 10);
    case "plate":
      return plate(shape);
    case "mesh":
      return meshGeometry(meshes[shape.mesh], shape.scale);
  }
}

/** A shape in the frame of its body. */
export function makeShape(shape: Shape, meshes: Mesh[], material: THREE.Material): THREE.Mesh {
  const mesh = new THREE.Mesh(geometryOf(shape, meshes), material);
  if (shape.kind === "cylinder" || shape.kind === "capsule") {
    along(mesh, vec(shape.from), vec(shape.to));
  } else {
    mesh.matrix.makeBasis(vec(shape.x), vec(shape.y), vec(shape.z)).setPosition(...shape.o);
    mesh.matrix.decompose(mesh.position, mesh.quaternion, mesh.scale);
  }
  return mesh;
}

/** A coil from z = 0 to z = 1: scaled along z it stretches like a spring. */
export function coil(radius: number, wire: number): THREE.BufferGeometry {
  const turns = 7;
  class Helix extends THREE.Curve<THREE.Vector3> {
    constructor() {
      super();
    }
    override getPoint(t: number, target = new THREE.Vector3()): THREE.Vector3 {
      // Straight at both ends.
      const inner = Math.min(1, Math.max(0, (t - 0.1) / 0.8));
      const out = t < 0.1 ? t / 0.1 : t > 0.9 ? (1 - t) / 0.1 : 1;
      const angle = 2 * Math.PI * turns * inner;
      return target.set(radius * out * Math.cos(angle), radius * out * Math.sin(angle), t);
    }
  }
  return new THREE.TubeGeometry(new Helix(), turns * 12, wire, 4);
}

/** A rod from z = 0 to z = 1. */
export function unitRod(radius: number): THREE.BufferGeometry {
  const rod = new THREE.CylinderGeometry(radius, radius, 1, 6);
  rod.rotateX(Math.PI / 2);
  rod.translate(0, 0, 0.5);
  return rod;
}

/** An arrow from z = 0 to z = 1. */
export function unitArrow(radius: number): THREE.BufferGeometry[] {
  const shaft = new THREE.CylinderGeometry(radius, radius, 0.8, 6);
  shaft.rotateX(Math.PI / 2);
  shaft.translate(0, 0, 0.4);
  const head = new THREE.ConeGeometry(2.6 * radius, 0.22, 8);
  head.rotateX(Math.PI / 2);
  head.translate(0, 0, 0.89);
  return [shaft, head];
}

/** What a joint looks like, in its frame: z is the axis. */
export function jointGeometry(key: string, size: number): THREE.BufferGeometry {
  if (key.startsWith("Revolute") || key === "Cylindrical") {
    const pin = new THREE.CylinderGeometry(0.55 * size, 0.55 * size, 3.2 * size, 12);
    pin.rotateX(Math.PI / 2);
    return pin;
  }
  if (key === "Prismatic") return new THREE.BoxGeometry(1.4 * size, 1.4 * size, 4 * size);
  if (key === "Fixed") return new THREE.BoxGeometry(1.3 * size, 1.3 * size, 1.3 * size);
  if (key === "Universal") return new THREE.OctahedronGeometry(1.2 * size);
  return new THREE.SphereGeometry(size, 12, 8);
}
