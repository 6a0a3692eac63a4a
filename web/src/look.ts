// Where the picture is seen from: two cameras, the mouse, and preset views.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Bounds } from "./bounds.js";

export type ViewName = "front" | "side" | "top" | "free";

export class Look {
  readonly perspective = new THREE.PerspectiveCamera(38, 1, 0.01, 1000);
  readonly flat = new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  camera: THREE.PerspectiveCamera | THREE.OrthographicCamera = this.perspective;
  up = new THREE.Vector3(0, 0, 1);
  private controls: OrbitControls;
  private flatHeight = 1;
  /** What was looked at last, as long as nobody turned it: seen again when the picture changes its shape. */
  private aimed: {
    center: THREE.Vector3; radius: number; direction: THREE.Vector3; corners: THREE.Vector3[]; aspect: number;
  } | null = null;

  /** `changed`: the picture must be drawn again. */
  constructor(
    private host: HTMLElement,
    private canvas: HTMLCanvasElement,
    private changed: () => void,
  ) {
    const sun = new THREE.DirectionalLight("#ffffff", 1.6);
    sun.position.set(0.4, 0.8, 1);
    this.perspective.add(sun);
    this.flat.add(sun.clone());
    this.controls = this.steer(new THREE.Vector3());
  }

  private steer(target: THREE.Vector3): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.target.copy(target);
    controls.addEventListener("change", () => this.changed());
    controls.addEventListener("start", () => (this.aimed = null));
    return controls;
  }

  get target(): THREE.Vector3 {
    return this.controls.target;
  }

  /** From the eye to what is looked at, backwards. */
  get direction(): THREE.Vector3 {
    return this.camera.position.clone().sub(this.controls.target);
  }

  /** Looks from a direction at everything, keeping what is up. */
  view(name: ViewName, bounds: Bounds): void {
    const { up } = this;
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
    this.aim(bounds.center, bounds.radius, direction, bounds.corners);
  }

  /** Looks at a ball; with `corners` only as far away as is needed to see these. */
  aim(center: THREE.Vector3, radius: number, direction: THREE.Vector3, corners: THREE.Vector3[] = []): void {
    this.perspective.aspect = Math.max(1, this.host.clientWidth) / Math.max(1, this.host.clientHeight);
    this.aimed = {
      center: center.clone(), radius, direction: direction.clone(), corners, aspect: this.perspective.aspect,
    };
    const { up } = this;
    const aspect = this.perspective.aspect || 1;
    const half = (this.perspective.fov * Math.PI) / 360;
    const tangent = Math.tan(half);
    const back = direction.clone().normalize();
    let distance = radius / Math.sin(Math.atan(tangent * Math.min(1, aspect)));
    let high = radius / Math.min(1, aspect);
    if (corners.length > 0) {
      const right = up.clone().cross(back).normalize();
      const above = back.clone().cross(right);
      distance = 1.5 * radius; // whatever is small is not looked at from very near
      high = 0.5 * radius;
      for (const corner of corners) {
        const p = corner.clone().sub(center);
        const size = Math.max(Math.abs(p.dot(above)), Math.abs(p.dot(right)) / aspect);
        distance = Math.max(distance, p.dot(back) + size / tangent);
        high = Math.max(high, size);
      }
    }
    const eye = center.clone().addScaledVector(back, distance);
    for (const camera of [this.perspective, this.flat]) {
      camera.up.copy(up);
      camera.position.copy(eye);
      camera.lookAt(center);
    }
    this.perspective.near = distance / 200;
    this.perspective.far = distance * 50;
    this.flatHeight = high;
    this.controls.dispose();
    this.controls = this.steer(center);
    this.controls.update();
    this.resize();
  }

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
    this.controls = this.steer(target);
    this.aimed = null;
    this.resize();
  }

  /** The look of another picture. */
  copy(other: Look): void {
    this.aimed = null;
    this.camera.position.copy(other.camera.position);
    this.controls.target.copy(other.controls.target);
    this.controls.update();
  }

  dispose(): void {
    this.controls.dispose();
  }

  /** The size of the picture: the cameras follow; where the look was aimed, it is aimed again. */
  resize(): void {
    const w = Math.max(1, this.host.clientWidth);
    const h = Math.max(1, this.host.clientHeight);
    if (this.aimed && Math.abs(this.aimed.aspect / (w / h) - 1) > 1e-3 && this.host.clientWidth > 0) {
      this.aim(this.aimed.center, this.aimed.radius, this.aimed.direction, this.aimed.corners); // comes back here
      return;
    }
    this.perspective.aspect = w / h;
    this.perspective.updateProjectionMatrix();
    this.flat.top = this.flatHeight;
    this.flat.bottom = -this.flatHeight;
    this.flat.right = (this.flatHeight * w) / h;
    this.flat.left = -this.flat.right;
    this.flat.updateProjectionMatrix();
    this.changed();
  }
}
