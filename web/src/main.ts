// One bundle for both: a report on its own, and the page of `parfait view`.

import uplotStyle from "uplot/dist/uPlot.min.css";
import { addStyle } from "./dom.js";
import { startReport } from "./report.js";
import { startViewer } from "./viewer.js";
import style from "./style.css";

async function start(): Promise<void> {
  addStyle(uplotStyle);
  addStyle(style);
  const data = document.getElementById("parfait-data");
  const page = data ? await startReport(data.textContent ?? "") : await startViewer();
  // For tests, and for those who look at it from the console.
  (window as unknown as Record<string, unknown>)["parfait"] = page;
  document.documentElement.dataset["parfait"] = "ready";
}

start().catch((error: unknown) => {
  console.error(error);
  document.documentElement.dataset["parfait"] = "failed";
});
