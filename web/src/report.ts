// A report that was complete before: its pictures become plots that answer, and its bodies move.

import { Clock } from "./clock.js";
import { type Block, fromBase64, gunzip, unpackBlock } from "./data.js";
import { element } from "./dom.js";
import { LivePlot } from "./plot.js";
import { Player } from "./player.js";

export interface ReportPage {
  block: Block;
  clock: Clock;
  player: Player | null;
  plots: Map<number, LivePlot>;
}

function widthOf(figure: HTMLElement): number {
  return Math.max(200, Math.min(460, figure.clientWidth));
}

/** Replaces a static picture when it comes into sight. */
function enliven(figure: HTMLElement, index: number, page: ReportPage): void {
  const svg = figure.querySelector<SVGElement>(":scope > svg");
  if (!svg || page.plots.has(index)) return;
  const plot = new LivePlot(page.block.plots[index], svg.getAttribute("aria-label") ?? "", page.clock, widthOf(figure));
  svg.classList.add("replaced");
  svg.after(plot.root);
  page.plots.set(index, plot);
}

function enlivenAll(page: ReportPage): void {
  const figures = [...document.querySelectorAll<HTMLElement>("figure i.plot")].map((mark) => ({
    figure: mark.parentElement as HTMLElement,
    index: Number(mark.dataset["n"]),
  }));
  const sight = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        sight.unobserve(entry.target);
        const found = figures.find((f) => f.figure === entry.target);
        if (found) enliven(found.figure, found.index, page);
      }
    },
    { rootMargin: "300px" },
  );
  for (const { figure } of figures) sight.observe(figure);
  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      for (const { figure, index } of figures) page.plots.get(index)?.resize(widthOf(figure));
    }, 100) as unknown as number;
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const plot of page.plots.values()) plot.redraw();
    page.player?.view.recolor();
  });
}

export async function startReport(data: string): Promise<ReportPage> {
  const block = unpackBlock(await gunzip(fromBase64(data)));
  const page: ReportPage = { block, clock: new Clock(), player: null, plots: new Map() };
  const place = document.getElementById("motion-view");
  if (place && block.motions.length > 0) {
    try {
      const kind = place.dataset["kind"] === "runs" ? "runs" : "experiments";
      page.player = new Player(block.scenes, block.motions, page.clock, "motion", kind);
      place.replaceChildren(page.player.root);
    } catch {
      place.replaceChildren(
        element("p", { class: "soft" }, "The moving picture needs WebGL, which this browser does not offer here. Everything else works."),
      );
    }
  }
  const first = document.querySelector(".plots");
  if (first && block.plots.length > 0) {
    first.before(
      element("p", { class: "hint" }, "Plots: the pointer reads values; " +
        (page.player ? "dragging in a plot over time moves the bodies; " : "") +
        "click, then the wheel zooms (elsewhere: drag a box); a double click shows all."),
    );
  }
  enlivenAll(page);
  return page;
}
