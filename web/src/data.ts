// What C++ hands over: JSON and arrays in one block of bytes.
//
//   "PF1\n", length of the JSON (uint32, little endian), JSON, arrays
//
// The JSON speaks of an array as {"at": first byte, "n": count}, counted from the end of the JSON.

export type Vec3 = [number, number, number];

export interface Mesh {
  file: string;
  vertices: number[];
  faces: number[];
}

export interface Shape {
  kind: "box" | "sphere" | "ellipsoid" | "cylinder" | "capsule" | "mesh" | "plate";
  size: Vec3;
  radius: number;
  from: Vec3;
  to: Vec3;
  points?: number[];
  mesh: number;
  scale: number;
  o: Vec3;
  x: Vec3;
  y: Vec3;
  z: Vec3;
  color: string;
  opacity: number;
  made_up: boolean;
}

export interface Body {
  id: string;
  mass: number;
  com: Vec3;
  shapes: Shape[];
}

/** A frame on a body; body -1 is the ground. */
export interface Place {
  body: number;
  o: Vec3;
  x: Vec3;
  z: Vec3;
}

/** What the last leg of a muscle goes round; its frame is the end before the last one. */
export interface Obstacle {
  kind: "cylinder" | "sphere";
  radius: number;
  sense: number;
}

export interface Force {
  id: string;
  key: string;
  ends: Place[];
  elastic: boolean;
  look?: "muscle" | "contact";
  /** Where it does not act along the line of its ends. */
  along?: "z" | "begin_z" | "radial";
  obstacle?: Obstacle;
}

export interface Scene {
  model: string;
  up: Vec3;
  extent: number;
  meshes: Mesh[];
  ground: Shape[];
  bodies: Body[];
  joints: { id: string; key: string; begin: Place; end: Place }[];
  forces: Force[];
  markers: { id: string; place: Place }[];
}

export interface Measured {
  marker: string;
  place: Place;
  t: number[];
  points: (number | null)[];
}

/** Frames of all bodies over time: twelve numbers (o, e1, e2, e3) for each body. */
export interface Motion {
  name: string;
  scene: number;
  t: number[];
  frames: Float32Array;
  initial: Float32Array | null;
  forces: Float32Array | null;
  measured: Measured[];
}

export type Ink = "data" | "model" | "guess" | "truth" | "alarm" | "limit" | "second" | "third" | "fourth" | "fifth";

export interface Axis {
  label: string;
  unit: string;
  log?: boolean;
  whole?: boolean;
  low?: number;
  high?: number;
}

type Numbers = (number | null)[];

export type Layer =
  | { kind: "line"; x: Numbers; y: Numbers; ink: Ink; dashed?: boolean; out?: boolean }
  | { kind: "band"; x: Numbers; low: Numbers; high: Numbers; pale?: boolean; out?: boolean }
  | { kind: "points"; x: Numbers; y: Numbers; deviation?: Numbers; ink: Ink; large?: boolean }
  | { kind: "bars"; edges: number[]; heights: number[] }
  | { kind: "stems"; x: Numbers; y: Numbers }
  | { kind: "rule"; at: number; vertical?: boolean; ink: Ink; dashed?: boolean; in?: boolean }
  | { kind: "note"; x: number; y: number; text: string };

export interface PlotData {
  name: string;
  title: string;
  x: Axis;
  y: Axis;
  square?: boolean;
  layers: Layer[];
}

interface ArrayPlace {
  at: number;
  n: number;
}

interface PackedFrames extends ArrayPlace {
  /** Of the three coordinates of origins, and of axes: value = middle + step * whole number. */
  middle: number[];
  step: number[];
}

interface PackedBlock {
  plots: PlotData[];
  scene: {
    scenes: Scene[];
    motions: { experiment: string; scene: number; t: number[]; measured: Measured[] }[];
  };
  /** One for each motion. */
  packed: { frames: PackedFrames; initial?: PackedFrames; forces?: ArrayPlace }[];
}

export interface Block {
  plots: PlotData[];
  scenes: Scene[];
  motions: Motion[];
}

/** Differences of 16-bit numbers, channel after channel; low bytes first, then high bytes. */
export function unpackFrames(bytes: Uint8Array, packed: PackedFrames, times: number): Float32Array {
  const count = packed.n;
  const channels = times > 0 ? count / times : 0;
  const out = new Float32Array(count);
  const low = bytes.subarray(packed.at, packed.at + count);
  const high = bytes.subarray(packed.at + count, packed.at + 2 * count);
  for (let c = 0; c < channels; ++c) {
    const kind = c % 12 < 3 ? c % 12 : 3;
    const middle = packed.middle[kind];
    const step = packed.step[kind];
    let value = 0;
    for (let i = 0; i < times; ++i) {
      const k = c * times + i;
      value = ((value + low[k] + 256 * high[k]) << 16) >> 16;
      out[i * channels + c] = middle + step * value;
    }
  }
  return out;
}

export function unpackBlock(bytes: Uint8Array): Block {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 8 || view.getUint32(0, false) !== 0x5046310a) throw new Error("not a block of data");
  const length = view.getUint32(4, true);
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))) as PackedBlock;
  const arrays = bytes.subarray(8 + length);
  const motions = json.scene.motions.map((m, i): Motion => {
    const packed = json.packed[i];
    let forces: Float32Array | null = null;
    if (packed.forces) {
      const from = arrays.byteOffset + packed.forces.at;
      forces = new Float32Array(arrays.buffer.slice(from, from + 4 * packed.forces.n));
    }
    return {
      name: m.experiment,
      scene: m.scene,
      t: m.t,
      frames: unpackFrames(arrays, packed.frames, m.t.length),
      initial: packed.initial ? unpackFrames(arrays, packed.initial, m.t.length) : null,
      forces,
      measured: m.measured,
    };
  });
  return { plots: json.plots, scenes: json.scene.scenes, motions };
}

export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}
