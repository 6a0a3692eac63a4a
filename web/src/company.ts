// The bodies of one motion: as fitted, as first guessed, or of another run.

import * as THREE from "three";
import type { Place, Scene } from "./data.js";
import { bodyColor, makeShape, vec } from "./shapes.js";

/** What a click has found. */
export interface Found {
  kind: "body" | "joint" | "force" | "marker";
  index: number;
}

export class Company {
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

  /** The frame of a place in the world. */
  frame(place: Place, target: THREE.Matrix4): THREE.Matrix4 {
    const x = vec(place.x);
    const z = vec(place.z);
    target.makeBasis(x, z.clone().cross(x), z).setPosition(...place.o);
    return place.body < 0 ? target : target.premultiply(this.groups[place.body].matrix);
  }

  /** A point of a body in the world. */
  point(place: Place, target: THREE.Vector3): THREE.Vector3 {
    target.set(place.o[0], place.o[1], place.o[2]);
    return place.body < 0 ? target : target.applyMatrix4(this.groups[place.body].matrix);
  }
}

/** Whether an object hangs somewhere below another one. */
export function isInside(object: THREE.Object3D, root: THREE.Object3D): boolean {
  for (let o: THREE.Object3D | null = object; o; o = o.parent) if (o === root) return true;
  return false;
}
