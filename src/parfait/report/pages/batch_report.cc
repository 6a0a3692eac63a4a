#include "parfait/report/pages/batch_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/report/drawing/cells.h"
#include "parfait/report/html/frame.h"
#include "parfait/report/html/numbers.h"
#include "parfait/report/web/live_page.h"

namespace parfait::report {

std::string batch_report(const result::Batch& batch) {
  double largest = 0;
  long long failed = 0;
  for (const auto& s : batch.subjects) {
    if (!std::isnan(s.rms)) largest = std::max(largest, s.rms);
    failed += s.status == "converged" || s.status == "done" ? 0 : 1;
  }
  Table table{.caption = "Subjects; errors of markers in mm (rms over all frames)",
              .columns = {{"subject"},
                          {"status", Table::Kind::kWords},
                          {"trials", Table::Kind::kNumber},
                          {"frames", Table::Kind::kNumber},
                          {"before", Table::Kind::kNumber},
                          {"error", Table::Kind::kNumber},
                          {"beside the others"},
                          {"warnings", Table::Kind::kNumber}}};
  const auto millimetres = [](double x) { return std::isnan(x) ? text("–") : number(1e3 * x, 4); };
  for (const auto& s : batch.subjects) {
    const bool found = s.status != "failed" && s.status != "interrupted";
    table.rows.push_back(
        {found ? element("a", {{"href", "../" + s.subject + "/report.html"}}, text(s.subject))
               : text(s.subject),
         text(s.message.empty() ? s.status : s.status + ": " + s.message), count(s.trials),
         count(s.frames), millimetres(s.rms_before), millimetres(s.rms),
         std::isnan(s.rms) ? text("")
                           : bar_cell(largest > 0 ? s.rms / largest : 0, false, 0,
                                      fmt::format("{} mm", rounded(1e3 * s.rms, 3))),
         count(s.warnings)});
  }
  const auto n = static_cast<long long>(batch.subjects.size());
  Frame frame("Subjects of " + batch.folder,
              verdict_box(failed > 0 ? Weight::kDoubt : Weight::kGood,
                          failed > 0 ? "Not all arrived." : "Done.",
                          fmt::format("{} of {} subjects.", n - failed, n), "",
                          {{"subjects", count(n), ""}, {"not arrived", count(failed), ""}}));
  frame.add("subjects", "Subjects", html(table));
  frame.add("origin", "How it was made", origin_block(batch.verdict));
  return finished(frame.page(), {}, Liveness::kStatic);
}

}  // namespace parfait::report
