// The page of `parfait view`: a model or runs to look at, curves by name, simulations and fits while they work.

import { Clock, text } from "./clock.js";
import { type Block, type Layer, type Motion, type PlotData, unpackBlock } from "./data.js";
import { button, choice, element } from "./dom.js";
import { Player } from "./player.js";
import { LivePlot } from "./plot.js";

interface RunName {
  id: string;
  name: string;
  kind: "simulate" | "fit" | "table";
}

interface SessionFacts {
  version: string;
  file: string;
  kind: "model" | "problem" | "";
  fault: string;
  can: string[];
  contents?: string;
  quantities?: string[];
  observed?: string[];
  until?: number;
  step?: number | null;
  parameters?: { id: string; value: number }[];
  runs: RunName[];
  jobs: string[];
  /** Events after this number are news. */
  event: number;
}

interface Curve {
  experiment: string;
  quantity: string;
  t: number[];
  values: (number | null)[];
}

interface RunTable {
  id: string;
  name: string;
  kind: string;
  status?: string;
  message?: string;
  columns?: { name: string; unit: string; values: (number | null)[] }[];
  measured?: { experiment: string; column: string; quantity: string; unit: string; t: number[];
    measured: (number | null)[]; sigma: (number | null)[] }[];
  curves?: Curve[];
  initial?: Curve[];
  parameters?: { id: string; value: number | null; sd: number | null }[];
}

const INKS = ["model", "second", "third", "fourth", "fifth"] as const;
const MOST_HITS = 60;

async function get<T>(path: string): Promise<T> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return (await answer.json()) as T;
}

async function getBlock(path: string): Promise<Block> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return unpackBlock(new Uint8Array(await answer.arrayBuffer()));
}

async function send(method: string, path: string, body: unknown): Promise<unknown> {
  const answer = await fetch(path, {
    method,
    headers: { "Content-Type": "application/json" },
    ...(method === "POST" ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
}

export class Viewer {
  readonly clock = new Clock();
  player: Player | null = null;
  facts!: SessionFacts;
  readonly plots = new Map<string, LivePlot>();
  private tables = new Map<string, RunTable>();
  private shown: string[] = [];
  private chosen: string[] = [];
  private job: string | null = null;
  private iterations: Record<string, unknown>[] = [];
  private live: Curve[] = [];

  private heading = element("h1", {}, "Parfait");
  private subtitle = element("span", { class: "soft" });
  private message = element("div", { role: "status" });
  private stage = element("section", { "aria-label": "moving picture" });
  private side = element("section", { "aria-label": "runs and curves" });
  private work = element("div", {});
  private runs = element("div", {});
  private hits = element("div", { class: "hits" });
  private curves = element("div", { class: "curves" });
  private which = element("p", { class: "soft" });
  private table = element("div", { class: "scroll", tabindex: "0" });
  private progress = element("progress", { max: "1" });
  private search = element("input", { type: "search", placeholder: "name of a quantity", "aria-label": "quantity" });

  async start(): Promise<void> {
    document.body.append(
      element("header", {}, this.heading, this.subtitle),
      this.message,
      element("main", {}, this.stage, this.side),
    );
    this.progress.hidden = true;
    this.side.append(
      this.work, this.progress, this.table, this.runs,
      element("h2", {}, "Curves"),
      element("label", { class: "field wide" }, "search ", this.search),
      this.hits, this.which, this.curves,
    );
    this.search.addEventListener("input", () => this.showHits());
    await this.refresh();
    if (this.facts.runs.length > 0) await this.showRun(this.facts.runs[this.facts.runs.length - 1].id);
    else await this.showModel();
    if (this.facts.jobs.length > 0) this.adopt(this.facts.jobs[0]);
    this.listen();
  }

  private say(what: string, weight = ""): void {
    this.message.replaceChildren(...(what ? [element("div", { class: `message ${weight}` }, what)] : []));
  }

  private async refresh(): Promise<void> {
    this.facts = await get<SessionFacts>("/api/session");
    const { facts } = this;
    this.heading.textContent = facts.file || "Runs";
    document.title = `${facts.file || "runs"} – Parfait`;
    this.subtitle.textContent = [facts.contents, `parfait ${facts.version}`].filter(Boolean).join(", ");
    this.say(facts.fault, "bad");
    this.showWork();
    this.showRuns();
  }

  private showWork(): void {
    const { facts } = this;
    if (facts.can.length === 0) return;
    const run = button(facts.can[0] === "fit" ? "Fit" : "Simulate", "start", () => void this.startJob());
    run.className = "strong";
    const cancel = button("Cancel", "stop; what was found stays", () => void this.cancel());
    cancel.disabled = this.job === null;
    cancel.id = "cancel";
    run.id = "start";
    const row = element("div", { class: "row" });
    if (facts.can[0] === "simulate") {
      const field = (id: string, value: number | null | undefined, unit: string): HTMLElement =>
        element("label", { class: "field" }, `${id} `,
          element("input", { type: "number", step: "any", name: id, value: value === null || value === undefined ? "" : String(value) }), ` ${unit}`);
      row.append(field("until", facts.until, "s"), field("step", facts.step, "s"));
    }
    row.append(run, cancel);
    const parameters = element("div", { class: "row parameters" });
    for (const p of (facts.parameters ?? []).slice(0, 40)) {
      parameters.append(element("label", { class: "field" }, p.id + " ",
        element("input", { type: "number", step: "any", "data-parameter": p.id, "data-was": String(p.value), value: String(p.value) })));
    }
    this.work.replaceChildren(
      element("h2", {}, facts.can[0] === "fit" ? "Estimate" : "Simulate"), row,
      ...(parameters.childElementCount > 0 ? [parameters] : []),
    );
  }

  private async startJob(): Promise<void> {
    const request: Record<string, unknown> = { kind: this.facts.can[0] };
    for (const input of this.work.querySelectorAll<HTMLInputElement>("input[name]")) {
      if (input.value !== "") request[input.name] = Number(input.value);
    }
    const set: Record<string, number> = {};
    for (const input of this.work.querySelectorAll<HTMLInputElement>("input[data-parameter]")) {
      if (input.value !== input.dataset["was"]) set[input.dataset["parameter"]!] = Number(input.value);
    }
    if (Object.keys(set).length > 0) request["set"] = set;
    if (this.facts.can[0] === "simulate" && this.chosen.length > 0) {
      request["observe"] = [...new Set([...(this.facts.observed ?? []), ...this.chosen])];
    }
    try {
      this.say("");
      const { id } = (await send("POST", "/api/jobs", request)) as { id: string };
      if (!this.ended.has(id)) this.adopt(id);
    } catch (error) {
      this.say(String((error as Error).message), "bad");
    }
  }

  private ended = new Set<string>();

  /** This page looks at a job: one it began, one of another tab, or one that went on while it was loaded again. */
  private adopt(job: string): void {
    if (this.job === job) return;
    this.job = job;
    this.iterations = [];
    this.live = [];
    this.table.replaceChildren();
    this.busy(true);
  }

  private busy(on: boolean): void {
    this.progress.hidden = !on;
    if (on) this.progress.removeAttribute("value");
    const cancel = this.work.querySelector<HTMLButtonElement>("#cancel");
    if (cancel) cancel.disabled = !on;
  }

  private async cancel(): Promise<void> {
    if (!this.job) return;
    try {
      await send("DELETE", `/api/jobs/${this.job}`, null);
    } catch (error) {
      this.say(String((error as Error).message), "bad");
    }
  }

  /** One stream of events carries everything that happens. */
  private listen(): void {
    const events = new EventSource(`/api/events?after=${this.facts.event}`);
    const on = (kind: string, act: (data: Record<string, unknown>) => void): void => {
      events.addEventListener(kind, (event) => act(JSON.parse((event as MessageEvent<string>).data) as Record<string, unknown>));
    };
    on("job", (data) => void this.onJob(data));
    on("progress", (data) => {
      if (data["id"] !== this.job) return;
      if (typeof data["fraction"] === "number") this.progress.value = data["fraction"];
    });
    on("iteration", (data) => this.onIteration(data));
    on("curves", (data) => {
      if (data["id"] !== this.job) return;
      this.live = data["curves"] as Curve[];
      this.showCurves();
    });
    on("motion", (data) => {
      if (data["id"] === this.job) void this.showLive(String(data["id"]));
    });
    on("changed", (data) => void this.onChanged(data));
  }

  private async onJob(data: Record<string, unknown>): Promise<void> {
    if (data["state"] === "waiting" && this.job === null) this.adopt(String(data["id"]));
    if (data["state"] !== "over") return;
    const mine = data["id"] === this.job;
    this.ended.add(String(data["id"]));
    if (mine) {
      this.job = null;
      this.busy(false);
    }
    await this.refresh();
    if (!mine) return;
    if (data["status"] === "failed") this.say(String(data["message"]), "bad");
    if (typeof data["run"] === "string") {
      await this.showRun(data["run"]);
      if (data["status"] === "interrupted") this.say("Cancelled: this is what was found until then.", "doubt");
    }
  }

  private onIteration(data: Record<string, unknown>): void {
    if (data["id"] !== this.job) return;
    this.iterations.push(data);
    const number = (key: string, digits = 4): string =>
      typeof data[key] === "number" ? text(data[key] as number, digits) : "–";
    let body = this.table.querySelector("tbody");
    if (!body) {
      const names = Object.keys(data["values"] as object).slice(0, 8);
      body = element("tbody");
      const head = element("tr");
      for (const name of ["iter", "objective", "constraints", "|dx|", "step", ...names]) head.append(element("th", { scope: "col", class: "n" }, name));
      this.table.replaceChildren(element("table", { id: "iterations" }, element("caption", {}, "Iterations"), element("thead", {}, head), body));
    }
    const values = Object.values(data["values"] as Record<string, number | null>).slice(0, 8);
    const row = element("tr", {}, element("th", { scope: "row", class: "n" }, String(data["number"])));
    for (const cell of [number("objective", 8), number("constraints", 3), number("increment", 3), number("step", 3),
      ...values.map((v) => (v === null ? "–" : text(v, 6)))]) {
      row.append(element("td", { class: "n" }, cell));
    }
    body.append(row);
  }

  private async onChanged(data: Record<string, unknown>): Promise<void> {
    await this.refresh();
    if (data["fault"]) return;
    this.say(`${String(data["file"])} changed on disk and was read again.`, "good");
    this.tables.clear();
    if (this.facts.kind === "model") await this.showModel();
    else if (this.shown.length > 0) await this.showRun(this.shown[0]);
  }

  private showRuns(): void {
    const { runs } = this.facts;
    if (runs.length === 0) {
      this.runs.replaceChildren();
      return;
    }
    const list = element("div", { class: "row" });
    list.append(choice("show", runs.map((r) => r.name), (i) => void this.showRun(runs[i].id)));
    const select = list.querySelector("select")!;
    select.selectedIndex = Math.max(0, runs.findIndex((r) => r.id === this.shown[0]));
    if (runs.length > 1) {
      this.compared = choice("with", ["nothing", ...runs.map((r) => r.name)], (i) => void this.compare(i === 0 ? null : runs[i - 1].id));
      list.append(this.compared);
      this.showCompared();
    }
    const report = element("a", { target: "_blank", rel: "noopener" }, "report");
    const at = (): void => {
      const run = runs.find((r) => r.id === (this.shown[0] ?? runs[0].id));
      report.hidden = run === undefined || run.kind === "table";
      report.href = `/api/runs/${run?.id}/report`;
    };
    at();
    select.addEventListener("change", at);
    list.append(report);
    this.runs.replaceChildren(element("h2", {}, "Runs"), list);
  }

  private compared: HTMLElement | null = null;

  private showCompared(): void {
    const select = this.compared?.querySelector("select");
    if (select) select.selectedIndex = 1 + this.facts.runs.findIndex((run) => run.id === this.shown[1]);
  }

  private async tableOf(id: string): Promise<RunTable> {
    let table = this.tables.get(id);
    if (!table) {
      table = await get<RunTable>(`/api/runs/${id}/table`);
      this.tables.set(id, table);
    }
    return table;
  }

  async showModel(): Promise<void> {
    this.shown = [];
    if (this.facts.kind === "model") this.showBlock(await getBlock("/api/model"));
    this.showHits();
  }

  async showRun(id: string): Promise<void> {
    const before = this.shown[1];
    this.shown = [id];
    const [block, table] = await Promise.all([getBlock(`/api/runs/${id}/block`), this.tableOf(id)]);
    this.showBlock(block);
    if (table.status && table.status !== "finished" && table.status !== "converged" && table.status !== "terminated") {
      this.say(table.message ?? table.status, "doubt");
    }
    if (table.parameters && table.parameters.length > 0) this.showParameters(table);
    if (this.chosen.length === 0 || table.kind === "fit") this.chosen = this.names().slice(0, 4);
    this.showRuns();
    this.showHits();
    this.showCurves();
    if (before) await this.compare(before);
  }

  /** Another run over the first: its bodies in another colour, its curves beside. */
  async compare(id: string | null): Promise<void> {
    this.shown = id ? [this.shown[0], id] : [this.shown[0]];
    this.showCompared();
    if (id) {
      await this.tableOf(id);
      const other = await getBlock(`/api/runs/${id}/block`);
      if (this.player && other.motions.length > 0) {
        this.player.view.scenesOf(other.scenes);
        const motion: Motion = { ...other.motions[0], name: this.nameOf(id), scene: other.motions[0].scene + this.block!.scenes.length };
        this.player.layOver(motion);
      }
    } else if (this.player && this.block) {
      this.player.layOver(null);
    }
    this.showCurves();
  }

  private block: Block | null = null;

  private showBlock(block: Block): void {
    // A fit that was cancelled early has no motion of its own: the one that was seen last stays.
    if (block.motions.length === 0 && this.facts.kind === "problem" && this.player) return;
    this.block = block;
    if (block.motions.length === 0) {
      this.player = null;
      this.stage.replaceChildren(element("p", { class: "soft" }, "Nothing here has bodies: see the curves."));
      return;
    }
    try {
      const old = this.player;
      this.player = new Player(block.scenes, block.motions, this.clock, "parfait");
      if (old) {
        this.player.view.keepViewOf(old.view);
        old.view.dispose();
      }
      this.stage.replaceChildren(this.player.root);
    } catch {
      this.stage.replaceChildren(element("p", { class: "soft" }, "The moving picture needs WebGL, which this browser does not offer here."));
    }
  }

  /** The bodies at the present point of a fit; one look at a time. */
  private looking = false;
  liveBlocks = 0;
  private async showLive(job: string): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    try {
      const block = await getBlock(`/api/jobs/${job}/block`);
      if (this.job !== job || block.motions.length === 0) return;
      ++this.liveBlocks;
      if (this.player && this.block?.scenes.length === block.scenes.length) {
        this.block = block;
        this.player.replace(block.scenes, block.motions);
      } else {
        this.showBlock(block);
      }
    } catch {
      // The job may be over: its run follows.
    } finally {
      this.looking = false;
    }
  }

  private showParameters(table: RunTable): void {
    const body = element("tbody");
    for (const p of table.parameters ?? []) {
      body.append(element("tr", {}, element("th", { scope: "row" }, p.id),
        element("td", { class: "n" }, p.value === null ? "–" : text(p.value, 6)),
        element("td", { class: "n" }, p.sd === null ? "–" : text(p.sd, 3))));
    }
    const made = element("table", { id: "estimates" }, element("caption", {}, `Estimates: ${table.status ?? ""}`),
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "parameter"),
        element("th", { scope: "col", class: "n" }, "value"), element("th", { scope: "col", class: "n" }, "deviation"))), body);
    this.table.querySelector("#estimates")?.remove();
    this.table.append(made);
  }

  /** Quantities that can be shown now. */
  private names(): string[] {
    const table = this.tables.get(this.shown[0] ?? "");
    if (!table) return [];
    if (table.measured) return table.measured.map((m) => `${m.experiment}: ${m.quantity}`);
    return (table.columns ?? []).slice(1).map((c) => c.name);
  }

  private showHits(): void {
    const wanted = this.search.value.trim().toLowerCase();
    const here = this.names();
    const all = [...new Set([...here, ...(this.facts.quantities ?? [])])];
    const found = all.filter((name) => name.toLowerCase().includes(wanted));
    const hits = wanted === "" ? here : found;
    this.hits.replaceChildren(
      ...hits.slice(0, MOST_HITS).map((name) => {
        const on = this.chosen.includes(name);
        const known = here.includes(name);
        const made = button(name, known ? "show or hide this curve" : "is recorded by the next simulation", () => {
          this.chosen = on ? this.chosen.filter((n) => n !== name) : [...this.chosen, name];
          this.showHits();
          this.showCurves();
        });
        made.setAttribute("aria-pressed", String(on));
        if (on) made.classList.add("strong");
        return made;
      }),
      ...(hits.length > MOST_HITS ? [element("span", { class: "soft" }, `and ${hits.length - MOST_HITS} more: type more letters`)] : []),
      ...(hits.length === 0 && wanted !== "" ? [element("span", { class: "soft" }, "no quantity has such a name")] : []),
    );
  }

  private plotOf(name: string): PlotData | null {
    const layers: Layer[] = [];
    let unit = "";
    this.shown.forEach((id, i) => {
      const table = this.tables.get(id);
      if (!table) return;
      const ink = INKS[i % INKS.length];
      if (table.measured) {
        const found = table.measured.find((m) => `${m.experiment}: ${m.quantity}` === name);
        if (!found) return;
        unit = found.unit;
        const curveOf = (list: Curve[] | undefined): Curve | undefined =>
          list?.find((c) => c.experiment === found.experiment && c.quantity === found.quantity);
        const guess = curveOf(table.initial);
        if (guess && i === 0) layers.push({ kind: "line", x: guess.t, y: guess.values, ink: "guess", dashed: true, out: true });
        const curve = curveOf(this.job ? this.live : undefined) ?? curveOf(table.curves);
        if (curve) layers.push({ kind: "line", x: curve.t, y: curve.values, ink, dashed: i > 0 });
        if (i === 0) layers.push({ kind: "points", x: found.t, y: found.measured, deviation: found.sigma, ink: "data" });
        return;
      }
      const columns = table.columns ?? [];
      const column = columns.find((c) => c.name === name);
      if (!column || columns.length === 0) return;
      unit = column.unit;
      layers.push({ kind: "line", x: columns[0].values, y: column.values, ink, dashed: i > 0 });
    });
    if (layers.length === 0) {
      const curve = this.live.find((c) => `${c.experiment}: ${c.quantity}` === name);
      if (!curve) return null;
      layers.push({ kind: "line", x: curve.t, y: curve.values, ink: "model" });
    }
    return { name: "fit", title: name, x: { label: "t", unit: "s" }, y: { label: name, unit }, layers };
  }

  private nameOf(id: string): string {
    return this.facts.runs.find((run) => run.id === id)?.name ?? id;
  }

  private showCurves(): void {
    const [first, second] = this.shown;
    this.which.hidden = second === undefined;
    if (second !== undefined) this.which.textContent = `Solid lines: ${this.nameOf(first)}; dashed lines: ${this.nameOf(second)}.`;
    // A fit that has just begun has curves before it has a run.
    if (this.chosen.length === 0 && this.live.length > 0) {
      this.chosen = this.live.slice(0, 4).map((c) => `${c.experiment}: ${c.quantity}`);
    }
    for (const [name, plot] of this.plots) {
      if (this.chosen.includes(name)) continue;
      plot.root.closest("figure")?.remove();
      this.plots.delete(name);
    }
    for (const name of this.chosen) {
      const data = this.plotOf(name);
      if (!data) continue;
      const old = this.plots.get(name);
      if (old) {
        old.update(data);
        continue;
      }
      const plot = new LivePlot(data, `${name} over time.`, this.clock, Math.max(240, Math.min(420, this.curves.clientWidth || 320)));
      this.plots.set(name, plot);
      this.curves.append(element("figure", {}, element("figcaption", {}, element("b", {}, name)), plot.root));
    }
  }

  get state(): { shown: string[]; chosen: string[]; job: string | null; iterations: number } {
    return { shown: this.shown, chosen: this.chosen, job: this.job, iterations: this.iterations.length };
  }
}

export async function startViewer(): Promise<Viewer> {
  const viewer = new Viewer();
  await viewer.start();
  return viewer;
}
