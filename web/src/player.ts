// The moving picture with everything to steer it: play, time, speed, views, layers, exports.

import { Clock, indexBefore, text } from "./clock.js";
import type { Motion, Scene } from "./data.js";
import { button, choice, element, save, toggle } from "./dom.js";
import { type Found, SceneView } from "./scene.js";
import { zip } from "./zip.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5];
const PICTURES_PER_SECOND = 25;
const MOST_PICTURES = 600;

const HELP =
  "Drag turns, right drag moves, the wheel zooms; a click selects. With the picture chosen: space plays, " +
  "← and → step, Home and End jump, F frames the selection, 1 front, 3 side, 7 top, 0 free, 5 orthographic, " +
  "G first guess, Esc selects nothing.";

export class Player {
  readonly root = element("div", { class: "player" });
  readonly view: SceneView;
  private slider = element("input", { type: "range", min: "0", step: "1", "aria-label": "time" });
  private readout = element("output", { class: "time" });
  private playButton: HTMLButtonElement;
  private properties = element("div", { class: "properties", "aria-live": "polite" });
  private errors = element("div", { class: "errors", tabindex: "0", role: "group", "aria-label": "distances of measured markers" });
  private stage = element("div", { class: "stage" });
  private note = element("span", { class: "soft", role: "status" });
  private legend = element("p", { class: "soft explained" });
  private ghostToggle: HTMLElement;
  private speed = 1;
  private playing = false;
  private last = 0;
  private motion!: Motion;

  constructor(
    scenes: Scene[],
    private motions: Motion[],
    private clock: Clock,
    private name = "parfait",
    kind: "experiments" | "runs" = "experiments",
  ) {
    this.root.append(this.stage);
    this.view = new SceneView(this.stage, scenes, clock);
    const { view } = this;
    view.canvas.setAttribute("role", "img");
    view.canvas.title = "";
    this.playButton = button("▶", "play (space)", () => this.toggle());
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    const paper = element("canvas", { class: "paper", "aria-hidden": "true" });
    this.stage.append(paper);
    addEventListener("beforeprint", () => view.drawOnPaper(paper));
    const line = element("div", { class: "row" }, this.playButton, this.slider, this.readout);
    const speeds = choice("speed", SPEEDS.map((s) => `${s}×`), (i) => (this.speed = SPEEDS[i]));
    speeds.querySelector("select")!.selectedIndex = SPEEDS.indexOf(1);
    this.ghostToggle = toggle("first guess", true, (on) => view.setLayer("ghost", on));
    this.overlays = choice("over it", ["nothing", ...motions.map((m) => m.name)], (i) => this.overlay(i - 1));
    const arrowSize = element("input", { type: "range", min: "-1", max: "1", step: "0.1", value: "0" });
    arrowSize.addEventListener("input", () => view.setArrowScale(10 ** Number(arrowSize.value)));
    const arrowField = element("label", { class: "toggle arrows" }, "length ", arrowSize);
    arrowField.hidden = true;
    const tools = element(
      "div",
      { class: "row tools" },
      motions.length > 1 ? choice(kind === "runs" ? "run" : "experiment", motions.map((m) => m.name), (i) => this.show(i)) : null,
      motions.length > 1 ? this.overlays : null,
      speeds,
      button("Front", "front view (1)", () => view.view("front")),
      button("Side", "side view (3)", () => view.view("side")),
      button("Top", "top view (7)", () => view.view("top")),
      button("Free", "view from an angle (0)", () => view.view("free")),
      button("Frame", "frame the selection (F)", () => view.frame()),
      button("Flat", "orthographic or perspective (5)", () => view.toggleOrthographic()),
    );
    const has = (test: (s: Scene) => boolean): boolean => scenes.some(test);
    const layers = element(
      "div",
      { class: "row tools" },
      this.ghostToggle,
      toggle("bodies", true, (on) => view.setLayer("bodies", on)),
      has((s) => s.markers.length > 0) || motions.some((m) => m.measured.length > 0)
        ? toggle("markers", true, (on) => view.setLayer("markers", on))
        : null,
      has((s) => s.joints.length > 0) ? toggle("joints", true, (on) => view.setLayer("joints", on)) : null,
      ...(motions.some((m) => m.forces)
        ? [toggle("force arrows", false, (on) => {
            view.setLayer("forces", on);
            arrowField.hidden = !on;
          }), arrowField]
        : []),
      toggle("path", false, (on) => view.setLayer("path", on)),
      toggle("grid", true, (on) => view.setLayer("grid", on)),
      button("Picture", "save this picture (PNG)", () => void this.savePicture()),
      button("Pictures", "save the motion as a sequence of pictures (ZIP of PNG)", () => void this.savePictures()),
      button("Video", "save the motion as a video (WebM)", () => void this.saveVideo()),
      this.note,
    );
    const help = element("details", {}, element("summary", {}, "Keys and mouse"), element("p", { class: "soft" }, HELP));
    this.root.append(this.legend, line, tools, layers, this.properties, this.errors, help);
    view.onSelect = (found) => this.showProperties(found);
    view.canvas.addEventListener("keydown", (event) => this.key(event));
    clock.onChange(() => this.follow());
    this.show(0);
    if (kind === "runs" && motions.length > 1) this.overlay(1); // that is what they are on one page for
  }
  private overlays: HTMLElement;

  private shownIndex = 0;

  show(i: number): void {
    this.shownIndex = i;
    this.motion = this.motions[i];
    this.view.show(this.motion, null);
    this.overlays.querySelector("select")!.selectedIndex = 0;
    this.slider.max = String(this.motion.t.length - 1);
    const single = this.motion.t.length < 2;
    this.slider.disabled = this.playButton.disabled = single;
    this.ghostToggle.hidden = this.motion.initial === null;
    this.clock.set(Math.min(Math.max(this.clock.t, this.motion.t[0]), this.motion.t[this.motion.t.length - 1]));
    this.describe();
    this.showErrors();
    this.follow();
    this.showProperties(null);
  }

  /** Other motions of the same bodies: of a fit that is working. */
  replace(scenes: Scene[], motions: Motion[]): void {
    this.motions = motions;
    this.view.replaceScenes(scenes);
    this.show(Math.min(this.shownIndex, motions.length - 1));
  }

  /** Another motion over the one that is shown. */
  overlay(i: number): void {
    this.overlays.querySelector("select")!.selectedIndex = i + 1;
    this.layOver(i < 0 ? null : this.motions[i]);
  }

  layOver(other: Motion | null): void {
    this.view.show(this.motion, other);
    this.describe();
  }

  /** For those who cannot see it. */
  private describe(): void {
    const scene = this.view.scene;
    const { t } = this.motion;
    const { overlay } = this.view;
    const has = (look: string): boolean => scene.forces.some((force) => force.look === look);
    const words = [
      overlay ? `In colours ${this.motion.name || "this run"}, in pale orange ${overlay.name || "the other one"}.` : "",
      has("muscle") ? "Muscles: pale blue is slack, orange the strongest pull." : "",
      has("contact") ? "Discs are contacts, blue while they press." : "",
    ].filter(Boolean).join(" ");
    this.legend.textContent = words;
    this.legend.hidden = words === "";
    this.view.canvas.setAttribute(
      "aria-label",
      `${scene.bodies.length} bodies, ${scene.joints.length} joints` +
        (t.length > 1 ? `, moving from ${text(t[0])} to ${text(t[t.length - 1])} s. ` : ", at rest. ") + words,
    );
  }

  /** Root mean square distance of each measured marker. */
  private showErrors(): void {
    this.errors.replaceChildren();
    this.errors.hidden = this.motion.measured.length === 0;
    const { measured, t, frames } = this.motion;
    if (measured.length === 0) return;
    const n = this.view.scene.bodies.length;
    const rows: { square: number; row: HTMLElement }[] = measured.map((marker) => {
      let sum = 0;
      let count = 0;
      let worst = 0;
      let when = 0;
      marker.t.forEach((time, i) => {
        const k = indexBefore(t, time);
        const f = 12 * (k * n + marker.place.body);
        let square = 0;
        for (let c = 0; c < 3; ++c) {
          const seen = marker.points[3 * i + c];
          if (seen === null) continue;
          const own = frames[f + c] + marker.place.o[0] * frames[f + 3 + c] +
            marker.place.o[1] * frames[f + 6 + c] + marker.place.o[2] * frames[f + 9 + c];
          square += (seen - own) ** 2;
        }
        sum += square;
        ++count;
        if (square > worst) {
          worst = square;
          when = time;
        }
      });
      const jump = button(`${text(Math.sqrt(worst), 3)} m at ${text(when, 4)} s`, "show this moment", () => this.clock.set(when));
      const square = sum / count;
      return { square, row: element(
        "tr", {}, element("th", { scope: "row" }, marker.marker),
        element("td", { class: "n" }, text(Math.sqrt(square), 3)), element("td", {}, jump),
      ) };
    });
    rows.sort((a, b) => b.square - a.square);
    this.errors.append(
      element(
        "table", {}, element("caption", {}, "Measured markers (orange): distance from the model"),
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "marker"),
          element("th", { scope: "col", class: "n" }, "rms [m]"), element("th", { scope: "col" }, "farthest"))),
        element("tbody", {}, ...rows.map(({ row }) => row)),
      ),
    );
  }

  private showProperties(found: Found | null): void {
    const { scene } = this.view;
    const rows: [string, string][] = [];
    if (found?.kind === "body") {
      const body = scene.bodies[found.index];
      const at = this.view.center_of(found.index);
      rows.push(["body", body.id], ["mass", text(body.mass) + " kg"],
        ["centre of mass in the body", body.com.map((x) => text(x, 4)).join(", ") + " m"],
        ["centre of mass now", at.map((x) => text(x, 4)).join(", ") + " m"]);
    } else if (found?.kind === "joint") {
      const joint = scene.joints[found.index];
      rows.push(["joint", joint.id], ["type", joint.key], ["between", this.nameOf(joint.begin.body) + " and " + this.nameOf(joint.end.body)]);
    } else if (found?.kind === "force") {
      const force = scene.forces[found.index];
      rows.push(["force", force.id], ["type", force.key]);
      if (this.motion.forces) {
        const f = this.motion.forces[indexBefore(this.motion.t, this.clock.t) * scene.forces.length + found.index];
        if (Number.isFinite(f)) rows.push(["now", `${text(f, 4)} N, ${f > 0 ? "pulls" : "pushes"}`]);
      }
    } else if (found?.kind === "marker") {
      rows.push(["marker", scene.markers[found.index].id]);
    }
    const list = element("dl", {});
    for (const [name, value] of rows) list.append(element("div", {}, element("dt", {}, name), element("dd", {}, value)));
    this.properties.replaceChildren(...(rows.length ? [list] : []));
  }

  private nameOf(body: number): string {
    return body < 0 ? "the ground" : this.view.scene.bodies[body].id;
  }

  private follow(): void {
    const { t } = this.motion;
    const i = indexBefore(t, this.clock.t);
    this.slider.value = String(i);
    this.readout.textContent = `${this.clock.t.toFixed(3)} s, frame ${i + 1} of ${t.length}`;
    this.slider.setAttribute("aria-valuetext", `${text(this.clock.t, 4)} seconds`);
    if (this.view.selected) this.showProperties(this.view.selected);
  }

  go(frame: number): void {
    const { t } = this.motion;
    this.clock.set(t[Math.min(t.length - 1, Math.max(0, frame))]);
  }

  get frame(): number {
    return indexBefore(this.motion.t, this.clock.t);
  }

  toggle(): void {
    this.playing = !this.playing;
    this.playButton.textContent = this.playing ? "❚❚" : "▶";
    this.playButton.title = this.playing ? "pause (space)" : "play (space)";
    this.playButton.setAttribute("aria-label", this.playButton.title);
    if (!this.playing) return;
    const { t } = this.motion;
    if (this.clock.t >= t[t.length - 1]) this.clock.set(t[0]);
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    if (!this.playing) return;
    const { t } = this.motion;
    const passed = Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    const next = this.clock.t + passed * this.speed;
    if (next >= t[t.length - 1]) {
      this.clock.set(t[t.length - 1]);
      this.toggle();
      return;
    }
    this.clock.set(next);
    requestAnimationFrame((later) => this.tick(later));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { view } = this;
    const actions: Record<string, () => void> = {
      " ": () => this.toggle(),
      ArrowRight: () => this.go(this.frame + (event.shiftKey ? 10 : 1)),
      ArrowLeft: () => this.go(this.frame - (event.shiftKey ? 10 : 1)),
      Home: () => this.go(0),
      End: () => this.go(this.motion.t.length - 1),
      f: () => view.frame(),
      "1": () => view.view("front"),
      "3": () => view.view("side"),
      "7": () => view.view("top"),
      "0": () => view.view("free"),
      "5": () => view.toggleOrthographic(),
      g: () => this.ghostToggle.querySelector("input")!.click(),
      Escape: () => view.select(null),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  async savePicture(): Promise<void> {
    save(`${this.name}.png`, await this.view.picture());
  }

  /** Times of pictures at a constant rate. */
  private pictureTimes(): number[] {
    const { t } = this.motion;
    const length = (t[t.length - 1] - t[0]) / this.speed;
    const count = Math.max(2, Math.min(MOST_PICTURES, Math.round(length * PICTURES_PER_SECOND) + 1));
    return Array.from({ length: count }, (_, i) => t[0] + ((t[t.length - 1] - t[0]) * i) / (count - 1));
  }

  async pictures(): Promise<{ name: string; bytes: Uint8Array<ArrayBuffer> }[]> {
    const before = this.clock.t;
    const files = [];
    for (const [i, t] of this.pictureTimes().entries()) {
      this.clock.set(t);
      const bytes = new Uint8Array(await (await this.view.picture()).arrayBuffer());
      files.push({ name: `${this.name}_${String(i).padStart(4, "0")}.png`, bytes });
    }
    this.clock.set(before);
    return files;
  }

  async savePictures(): Promise<void> {
    this.note.textContent = "drawing …";
    save(`${this.name}.zip`, zip(await this.pictures()));
    this.note.textContent = "";
  }

  async saveVideo(): Promise<void> {
    const type = ["video/webm;codecs=vp9", "video/webm"].find(
      (t) => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported(t));
    if (!type) {
      this.note.textContent = "This browser cannot record videos; take Pictures.";
      return;
    }
    this.note.textContent = "recording …";
    const recorder = new MediaRecorder(this.view.canvas.captureStream(PICTURES_PER_SECOND), { mimeType: type });
    const parts: Blob[] = [];
    recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
    const done = new Promise((resolve) => recorder.addEventListener("stop", resolve));
    recorder.start();
    for (const t of this.pictureTimes()) {
      this.clock.set(t);
      await new Promise((resolve) => setTimeout(resolve, 1000 / PICTURES_PER_SECOND));
    }
    recorder.stop();
    await done;
    save(`${this.name}.webm`, new Blob(parts, { type: "video/webm" }));
    this.note.textContent = "";
  }
}
