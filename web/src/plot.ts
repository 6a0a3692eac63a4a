// Plots that answer: the layers of a static picture, drawn on a canvas with uPlot's axes, zoom and
// cursor. Time plots share the clock: dragging in one scrubs all of them and the moving picture.

import uPlot from "uplot";
import { Clock, indexBefore, text } from "./clock.js";
import type { Axis, Layer, PlotData } from "./data.js";
import { color, element } from "./dom.js";

const TIME = "parfait-time";

interface Range {
  low: number;
  high: number;
}

function widen(range: Range, values: (number | null)[] | number[], log: boolean): void {
  for (const v of values) {
    if (v === null || !Number.isFinite(v) || (log && v <= 0)) continue;
    if (v < range.low) range.low = v;
    if (v > range.high) range.high = v;
  }
}

function padded(range: Range, axis: Axis, share: number): [number, number] {
  if (axis.low !== undefined && axis.high !== undefined) return [axis.low, axis.high];
  let { low, high } = range;
  if (!(low <= high)) return axis.log ? [0.1, 10] : [0, 1];
  if (axis.log) {
    const factor = low === high ? 2 : (high / low) ** share;
    return [low / factor, high * factor];
  }
  const pad = low === high ? Math.abs(low) * 0.1 || 1 : (high - low) * share;
  low -= pad;
  high += pad;
  return [low, high];
}

function rangesOf(plot: PlotData): { x: [number, number]; y: [number, number] } {
  const x: Range = { low: Infinity, high: -Infinity };
  const y: Range = { low: Infinity, high: -Infinity };
  const xLog = plot.x.log === true;
  const yLog = plot.y.log === true;
  for (const layer of plot.layers) {
    switch (layer.kind) {
      case "line":
      case "band":
        if (layer.out) break;
        widen(x, layer.x, xLog);
        if (layer.kind === "line") widen(y, layer.y, yLog);
        else {
          widen(y, layer.low, yLog);
          widen(y, layer.high, yLog);
        }
        break;
      case "points":
        widen(x, layer.x, xLog);
        widen(y, layer.y, yLog);
        for (const sign of layer.deviation ? [-1, 1] : []) {
          widen(y, layer.y.map((v, i) => (v === null ? null : v + sign * (layer.deviation![i] ?? 0))), yLog);
        }
        break;
      case "bars":
        widen(x, layer.edges, xLog);
        widen(y, layer.heights, yLog);
        widen(y, [0], yLog);
        break;
      case "stems":
        widen(x, layer.x, xLog);
        widen(y, layer.y, yLog);
        widen(y, [0], yLog);
        break;
      case "rule":
        if (layer.in) widen(layer.vertical ? x : y, [layer.at], layer.vertical ? xLog : yLog);
        break;
      case "note":
        break;
    }
  }
  const isTime = plot.x.label === "t";
  return { x: padded(x, plot.x, isTime ? 0.015 : 0.03), y: padded(y, plot.y, 0.05) };
}

/** The x values where something can be read off. */
function stops(plot: PlotData): number[] {
  const all = new Set<number>();
  for (const layer of plot.layers) {
    if (layer.kind === "line" || layer.kind === "points" || layer.kind === "stems") {
      for (const x of layer.x) if (x !== null) all.add(x);
    } else if (layer.kind === "bars") {
      for (let i = 0; i + 1 < layer.edges.length; ++i) all.add((layer.edges[i] + layer.edges[i + 1]) / 2);
    }
  }
  return [...all].sort((a, b) => a - b);
}

const NAMES: Record<string, string> = {
  data: "measured", model: "model", guess: "first guess", truth: "true", alarm: "outlier",
};

/** What the plot says near x: one line for each layer. */
export function valuesAt(plot: PlotData, x: number, reach: number): { name: string; value: number; ink: string }[] {
  const out: { name: string; value: number; ink: string }[] = [];
  const time = plot.x.label === "t";
  for (const layer of plot.layers) {
    if (layer.kind === "bars") {
      const i = layer.edges.findIndex((edge, k) => k + 1 < layer.edges.length && edge <= x && x < layer.edges[k + 1]);
      if (i >= 0) out.push({ name: "count", value: layer.heights[i], ink: "model" });
      continue;
    }
    if (layer.kind !== "line" && layer.kind !== "points" && layer.kind !== "stems") continue;
    let nearest = -1;
    for (let i = 0; i < layer.x.length; ++i) {
      const d = layer.x[i] === null ? Infinity : Math.abs((layer.x[i] as number) - x);
      if (d <= reach && (nearest < 0 || d < Math.abs((layer.x[nearest] as number) - x))) nearest = i;
    }
    const value = nearest < 0 ? null : layer.y[nearest];
    if (value === null || value === undefined) continue;
    const ink = layer.kind === "stems" ? "model" : layer.ink;
    const known = time && plot.name === "fit" ? NAMES[ink] : undefined;
    out.push({ name: known ?? plot.y.label, value, ink });
  }
  return out;
}

class Painter {
  constructor(
    private u: uPlot,
    private context: CanvasRenderingContext2D,
    private ratio: number,
  ) {}

  private x(v: number): number {
    return this.u.valToPos(v, "x", true);
  }
  private y(v: number): number {
    return this.u.valToPos(v, "y", true);
  }
  private bad(v: number | null | undefined, scale: "x" | "y"): boolean {
    return v === null || v === undefined || !Number.isFinite(v) || (this.u.scales[scale].distr === 3 && v <= 0);
  }

  draw(layer: Layer): void {
    const c = this.context;
    const px = this.ratio;
    c.setLineDash([]);
    c.globalAlpha = 1;
    switch (layer.kind) {
      case "band": {
        c.fillStyle = color("model");
        c.globalAlpha = Number(color(layer.pale ? "faint" : "strong")) || (layer.pale ? 0.14 : 0.3);
        let part: number[] = [];
        const fill = (): void => {
          if (part.length > 1) {
            c.beginPath();
            for (const i of part) c.lineTo(this.x(layer.x[i]!), this.y(layer.high[i]!));
            for (const i of [...part].reverse()) c.lineTo(this.x(layer.x[i]!), this.y(layer.low[i]!));
            c.fill();
          }
          part = [];
        };
        layer.x.forEach((x, i) => {
          if (this.bad(x, "x") || this.bad(layer.low[i], "y") || this.bad(layer.high[i], "y")) fill();
          else part.push(i);
        });
        fill();
        break;
      }
      case "line": {
        c.strokeStyle = color(layer.ink);
        c.lineWidth = 1.7 * px;
        c.lineJoin = "round";
        if (layer.dashed) c.setLineDash([5 * px, 4 * px]);
        c.beginPath();
        let down = false;
        layer.x.forEach((x, i) => {
          const y = layer.y[i];
          if (this.bad(x, "x") || this.bad(y, "y")) {
            down = false;
          } else if (down) {
            c.lineTo(this.x(x!), this.y(y!));
          } else {
            c.moveTo(this.x(x!), this.y(y!));
            down = true;
          }
        });
        c.stroke();
        break;
      }
      case "points": {
        c.strokeStyle = c.fillStyle = color(layer.ink);
        const many = layer.x.length > 200;
        const radius = (layer.large ? 3.5 : many ? 1.3 : 2.2) * px;
        layer.x.forEach((x, i) => {
          const y = layer.y[i];
          if (this.bad(x, "x") || this.bad(y, "y")) return;
          const d = many ? undefined : layer.deviation?.[i];
          if (!this.bad(d, "x") && !this.bad(y! - d!, "y")) {
            c.globalAlpha = 0.55;
            c.lineWidth = px;
            c.beginPath();
            c.moveTo(this.x(x!), this.y(y! - d!));
            c.lineTo(this.x(x!), this.y(y! + d!));
            c.stroke();
            c.globalAlpha = 1;
          }
          c.beginPath();
          c.arc(this.x(x!), this.y(y!), radius, 0, 2 * Math.PI);
          c.fill();
        });
        break;
      }
      case "bars": {
        c.fillStyle = color("model");
        c.globalAlpha = 0.6;
        layer.heights.forEach((h, i) => {
          const left = this.x(layer.edges[i]) + 0.5 * px;
          const foot = this.y(0);
          c.fillRect(left, this.y(h), this.x(layer.edges[i + 1]) - 0.5 * px - left, foot - this.y(h));
        });
        break;
      }
      case "stems": {
        c.strokeStyle = color("model");
        c.lineWidth = 4 * px;
        layer.x.forEach((x, i) => {
          if (this.bad(x, "x") || this.bad(layer.y[i], "y")) return;
          c.beginPath();
          c.moveTo(this.x(x!), this.y(0));
          c.lineTo(this.x(x!), this.y(layer.y[i]!));
          c.stroke();
        });
        break;
      }
      case "rule": {
        c.strokeStyle = color(layer.ink);
        c.lineWidth = px;
        if (layer.dashed) {
          c.setLineDash([5 * px, 4 * px]);
          c.globalAlpha = layer.ink === "limit" ? 0.55 : 1;
        }
        const { left, top, width, height } = this.u.bbox;
        c.beginPath();
        if (layer.vertical) {
          c.moveTo(this.x(layer.at), top);
          c.lineTo(this.x(layer.at), top + height);
        } else {
          c.moveTo(left, this.y(layer.at));
          c.lineTo(left + width, this.y(layer.at));
        }
        c.stroke();
        break;
      }
      case "note": {
        c.fillStyle = color("ink");
        c.font = `${11 * px}px system-ui,sans-serif`;
        c.textAlign = "left"; // uPlot leaves that of its axes
        c.textBaseline = "alphabetic";
        const { left, width } = this.u.bbox;
        const w = c.measureText(layer.text).width;
        const at = Math.min(this.x(layer.x) + 6 * px, left + width - w);
        c.fillText(layer.text, at, this.y(layer.y) - 6 * px);
        break;
      }
    }
    c.globalAlpha = 1;
    c.setLineDash([]);
  }
}

/** Ticks as in the static picture: powers of ten as such. */
function axisText(axis: Axis): (u: uPlot, splits: (number | null)[]) => string[] {
  return (_u, splits) =>
    splits.map((v) => {
      if (v === null) return "";
      if (!axis.log) return axis.whole && !Number.isInteger(v) ? "" : text(v, 6);
      return v >= 1e-3 && v < 1e5 ? text(v) : v.toExponential().replace("e+", "e");
    });
}

/** Ticks of a logarithmic axis: powers of ten, at most six; within two decades 1, 2 and 5 times them; within less, even steps. */
export function logTicks(low: number, high: number): number[] {
  const a = Math.log10(low);
  const b = Math.log10(high);
  const ticks: number[] = [];
  const first = Math.ceil(a - 1e-9);
  if (b - a >= 2) {
    const step = Math.ceil((b - a) / 6);
    for (let k = step * Math.ceil(first / step); k <= b + 1e-9; k += step) ticks.push(10 ** k);
    return ticks;
  }
  for (let k = first - 1; k <= b; ++k) {
    for (const m of [1, 2, 5]) if (m * 10 ** k >= low && m * 10 ** k <= high) ticks.push(m * 10 ** k);
  }
  if (ticks.length >= 3) return ticks;
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((m) => m * power >= rough) ?? 10);
  const even: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high; ++k) even.push(Number((k * step).toPrecision(12)));
  return even;
}

/** uPlot's options of a logarithmic axis: its own ticks would be a band of grey lines, most without a number. */
function logAxis(axis: Axis): Partial<uPlot.Axis> {
  if (!axis.log) return {};
  return { splits: (_u, _axis, low, high) => logTicks(low, high), filter: (_u, splits) => splits };
}

function title(axis: Axis): string {
  return axis.unit ? `${axis.label} [${axis.unit}]` : axis.label;
}

export class LivePlot {
  readonly root = element("div", { class: "live" });
  private readout = element("output", { class: "readout", "aria-live": "off" });
  private u: uPlot;
  private ranges: { x: [number, number]; y: [number, number] };
  private scrubs: boolean;

  constructor(
    private plot: PlotData,
    label: string,
    private clock: Clock | null,
    width: number,
  ) {
    this.ranges = rangesOf(plot);
    this.scrubs = clock !== null && plot.x.label === "t";
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", label + " Arrow keys read values, + and - zoom, 0 shows all.");
    this.u = this.make(width);
    this.root.append(this.readout);
    this.listen();
    this.listenOver();
    if (this.scrubs) clock!.onChange(() => this.u.redraw(false));
  }

  private make(width: number): uPlot {
    const { plot } = this;
    const xs = stops(plot);
    const side = color("soft");
    const grid = { stroke: color("edge"), width: 1 };
    const font = "11px system-ui,-apple-system,sans-serif";
    const height = plot.square ? width : Math.round(width * 0.61);
    const options: uPlot.Options = {
      width,
      height,
      legend: { show: false },
      padding: [6, 12, 0, 0],
      cursor: {
        y: false,
        points: { show: false },
        drag: this.scrubs ? { x: false, y: false } : { x: true, y: true, uni: 20 },
        ...(this.scrubs ? { sync: { key: TIME, setSeries: false, scales: ["x", null] } } : {}),
      } as uPlot.Cursor,
      scales: {
        x: { time: false, ...(plot.x.log ? { distr: 3 } : {}), range: () => this.limits("x") },
        y: { ...(plot.y.log ? { distr: 3 } : {}), range: () => this.limits("y") },
      },
      series: [{}, { show: true, stroke: "transparent", points: { show: false } }],
      axes: [
        { stroke: side, grid, ticks: grid, font, labelFont: font, label: title(plot.x), labelSize: 16, size: 28,
          values: axisText(plot.x), ...logAxis(plot.x) },
        { stroke: side, grid, ticks: grid, font, labelFont: font, label: title(plot.y), labelSize: 16,
          size: (_u, values) => 20 + 6.3 * Math.max(2, ...(values ?? [""]).map((v) => v.length)),
          values: axisText(plot.y), ...logAxis(plot.y) },
      ],
      hooks: {
        draw: [(u) => this.paint(u)],
        setCursor: [(u) => this.read(u)],
      },
    };
    const middle = xs.map(() => (this.ranges.y[0] + this.ranges.y[1]) / 2);
    const u = new uPlot(options, [xs, middle], this.root);
    u.root.setAttribute("aria-hidden", "true");
    return u;
  }

  private zoomed: { x: [number, number] | null; y: [number, number] | null } = { x: null, y: null };

  private limits(scale: "x" | "y"): [number, number] {
    if (this.zoomed[scale]) return this.zoomed[scale]!;
    return this.ranges[scale];
  }

  private paint(u: uPlot): void {
    const context = u.ctx;
    const { left, top, width, height } = u.bbox;
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    const painter = new Painter(u, context, devicePixelRatio);
    for (const layer of this.plot.layers) painter.draw(layer);
    if (this.scrubs && this.clock!.used && this.clock!.t >= u.scales["x"].min! && this.clock!.t <= u.scales["x"].max!) {
      const x = u.valToPos(this.clock!.t, "x", true);
      context.strokeStyle = color("alarm");
      context.lineWidth = 1.5 * devicePixelRatio;
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, top + height);
      context.stroke();
    }
    context.restore();
  }

  private read(u: uPlot): void {
    const left = u.cursor.left;
    if (left === undefined || left === null || left < 0) {
      this.readout.textContent = "";
      return;
    }
    const x = u.posToVal(left, "x");
    const reach = Math.abs(u.posToVal(left + 12, "x") - x);
    this.show(x, reach);
  }

  private show(x: number, reach: number): void {
    const found = valuesAt(this.plot, x, reach);
    const unit = this.plot.x.unit ? " " + this.plot.x.unit : "";
    this.readout.replaceChildren(
      `${this.plot.x.label} = ${text(x, 4)}${unit}`,
      ...found.slice(0, 6).map(({ name, value, ink }) => {
        const entry = element("span", {}, element("i", { class: "swatch" }), ` ${name} ${text(value)}`);
        (entry.firstChild as HTMLElement).style.background = color(ink);
        return entry;
      }),
    );
  }

  private zoom(factor: number, at: number): void {
    const { min, max } = this.u.scales["x"];
    if (min === undefined || max === undefined || min === null || max === null) return;
    const [low, high] = this.ranges.x;
    if (this.plot.x.log) {
      const a = at * (min / at) ** factor;
      const b = at * (max / at) ** factor;
      this.zoomed.x = a <= low && b >= high ? null : [Math.max(a, low), Math.min(b, high)];
    } else {
      const a = at - (at - min) * factor;
      const b = at + (max - at) * factor;
      this.zoomed.x = a <= low && b >= high ? null : [Math.max(a, low), Math.min(b, high)];
    }
    this.refresh();
  }

  private refresh(): void {
    const x = this.zoomed.x ?? this.ranges.x;
    const y = this.zoomed.y ?? this.ranges.y;
    this.u.batch(() => {
      this.u.setScale("x", { min: x[0], max: x[1] });
      this.u.setScale("y", { min: y[0], max: y[1] });
    });
  }

  reset(): void {
    this.zoomed = { x: null, y: null };
    this.refresh();
  }

  private listenOver(): void {
    const over = this.u.over;
    const timeAt = (event: PointerEvent): number => {
      const [low, high] = this.ranges.x;
      const x = this.u.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
      return Math.min(high, Math.max(low, x));
    };
    if (this.scrubs) {
      over.style.cursor = "ew-resize";
      over.style.touchAction = "pan-y";
      over.addEventListener("pointerdown", (event) => {
        over.setPointerCapture(event.pointerId);
        this.clock!.set(timeAt(event));
      });
      over.addEventListener("pointermove", (event) => {
        if (event.buttons & 1) this.clock!.set(timeAt(event));
      });
    } else {
      // What uPlot selects becomes the zoom that everything else knows.
      this.u.hooks.setSelect = [
        (u) => {
          const { left, top, width, height } = u.select;
          if (width < 4 && height < 4) return;
          const whole = u.bbox;
          if (width >= 4) this.zoomed.x = [u.posToVal(left, "x"), u.posToVal(left + width, "x")];
          if (height >= 4 && height < whole.height / devicePixelRatio - 1) {
            this.zoomed.y = [u.posToVal(top + height, "y"), u.posToVal(top, "y")];
          }
          this.refresh();
        },
      ];
    }
    over.addEventListener("dblclick", () => this.reset());
  }

  private listen(): void {
    // The wheel belongs to the page until the plot is chosen.
    this.root.addEventListener(
      "wheel",
      (event) => {
        if (document.activeElement !== this.root) return;
        event.preventDefault();
        const x = this.u.posToVal(event.clientX - this.u.over.getBoundingClientRect().left, "x");
        this.zoom(event.deltaY > 0 ? 1.25 : 0.8, x);
      },
      { passive: false },
    );
    this.root.addEventListener("pointerdown", () => this.root.focus({ preventScroll: true }));
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  private at = -1;

  private key(event: KeyboardEvent): void {
    const xs = this.u.data[0];
    if (event.key === "0" || event.key === "Escape") this.reset();
    else if (event.key === "+" || event.key === "-") {
      const x = this.at >= 0 ? xs[this.at] : (this.u.scales["x"].min! + this.u.scales["x"].max!) / 2;
      this.zoom(event.key === "+" ? 0.8 : 1.25, x);
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      if (this.at < 0 && this.scrubs) this.at = indexBefore(xs, this.clock!.t);
      this.at = Math.min(xs.length - 1, Math.max(0, this.at + (event.key === "ArrowRight" ? 1 : -1)));
      const x = xs[this.at];
      this.readout.setAttribute("aria-live", "polite");
      this.u.setCursor({ left: this.u.valToPos(x, "x"), top: 10 });
      this.show(x, 1e-9 * Math.abs(x) + 1e-300);
      if (this.scrubs) this.clock!.set(x);
    } else return;
    event.preventDefault();
  }

  resize(width: number): void {
    this.u.setSize({ width, height: this.plot.square ? width : Math.round(width * 0.61) });
  }

  /** New layers in the place of the old ones: a fit that is running. */
  update(plot: PlotData): void {
    this.plot = plot;
    this.ranges = rangesOf(plot);
    const xs = stops(plot);
    this.u.setData([xs, xs.map(() => (this.ranges.y[0] + this.ranges.y[1]) / 2)], false);
    this.refresh();
  }

  /** For tests and for changes of colours. */
  redraw(): void {
    const { width } = this.u;
    this.u.destroy();
    this.u = this.make(width);
    this.root.append(this.readout);
    this.listenOver();
    this.refresh();
  }

  get text(): string {
    return this.readout.textContent ?? "";
  }
  get range(): { x: [number, number]; y: [number, number] } {
    const { x, y } = this.u.scales;
    return { x: [x.min!, x.max!], y: [y.min!, y.max!] };
  }
}
