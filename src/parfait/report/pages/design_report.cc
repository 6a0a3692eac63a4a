#include "parfait/report/pages/design_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "parfait/base/error.h"
#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/frame.h"
#include "parfait/report/html/numbers.h"

namespace parfait::report {
namespace design_page {
namespace {

Html deviation(double sd) {
  return std::isfinite(sd) ? number(sd, 4) : text("not determined");
}

Html parameters_block(const result::Design& design) {
  Table table;
  table.caption = "Predicted standard deviations, with the sigmas as they are given";
  table.columns = {
      {"parameter"},
      {"value", Table::Kind::kNumber},
      {"known", Table::Kind::kNumber, "without the planned experiments"},
      {"as given", Table::Kind::kNumber, "with the planned experiments as they were given"},
      {"as designed", Table::Kind::kNumber, "with the planned experiments as designed"}};
  for (const auto& p : design.parameters) {
    table.rows.push_back({text(p.id + (p.of_interest ? "" : " (not of interest)")),
                          number(p.value, 6), deviation(p.sd_known), deviation(p.sd_start),
                          deviation(p.sd_design)});
  }
  return html(table);
}

Html measures_block(const result::Design& design) {
  Table table;
  table.caption = design.relative ? "The information M of relative parameters, C its inverse"
                                  : "The information M, C its inverse";
  table.columns = {{"measure"},
                   {"known", Table::Kind::kNumber},
                   {"as given", Table::Kind::kNumber},
                   {"as designed", Table::Kind::kNumber}};
  const auto add = [&](const char* name, double result::DesignMeasures::*field) {
    const auto of = [&](const std::optional<result::DesignMeasures>& m) {
      return m && std::isfinite((*m).*field) ? number((*m).*field, 6) : text("–");
    };
    table.rows.push_back({text(name), of(design.known), of(design.start), of(design.measures)});
  };
  add("tr C (A)", &result::DesignMeasures::trace_C);
  add("ln det M (D)", &result::DesignMeasures::log_det_M);
  add("smallest eigenvalue of M (E)", &result::DesignMeasures::lambda_min);
  add("tr M (T)", &result::DesignMeasures::trace_M);
  add("largest deviation", &result::DesignMeasures::max_sd);
  add("condition of M", &result::DesignMeasures::condition);
  return html(table);
}

Html inputs_block(const result::DesignTables& tables) {
  Html all;
  for (std::size_t i = 0; i < tables.inputs.size(); ++i) {
    const auto& columns = tables.input_tables[i].columns;
    Line line;
    for (std::size_t k = 0; k < columns[0].size(); ++k) {
      if (tables.input_steps[i] && k > 0) {
        line.x.push_back(columns[0][k]);
        line.y.push_back(columns[1][k - 1]);
      }
      line.x.push_back(columns[0][k]);
      line.y.push_back(columns[1][k]);
    }
    Plot plot{.name = "input",
              .key = tables.inputs[i],
              .title = tables.inputs[i],
              .text = fmt::format("{} over time, {} knots.", tables.inputs[i], columns[0].size()),
              .x = {.label = "t [s]"},
              .y = {.label = tables.input_tables[i].header[1]}};
    plot.layers.emplace_back(std::move(line));
    all += figure(plot);
  }
  return plots(all);
}

Html samples_block(const result::Design& design, const result::DesignTables& tables) {
  if (!design.choice) return text("All planned measurements are made.");
  std::map<std::string, std::vector<const result::DesignTables::Sample*>> by_what;
  for (const auto& s : tables.samples) by_what[s.experiment + ": " + s.label].push_back(&s);
  Html all;
  constexpr std::size_t kMostPlots = 12;
  std::size_t shown = 0;
  for (const auto& [name, list] : by_what) {
    if (list.size() < 3 || ++shown > kMostPlots) continue;
    Line gain{.ink = Ink::kSecond};
    Stems weights;
    double largest = 0, most = 0;
    for (const auto* s : list) {
      largest = std::max(largest, std::isfinite(s->gain) ? s->gain : 0.0);
      most = std::max(most, s->weight);
    }
    for (const auto* s : list) {
      gain.x.push_back(s->t);
      gain.y.push_back(largest > 0 ? s->gain / largest * most : s->gain);
      if (s->weight > 1e-9) {
        weights.x.push_back(s->t);
        weights.y.push_back(s->weight);
      }
    }
    Plot plot{.name = "samples",
              .key = name,
              .title = name,
              .text = fmt::format("Weights of {} candidates over time, {} of them used, and what a "
                                  "measurement there gains.",
                                  list.size(), weights.x.size()),
              .caption = "stems: weights; line: what a measurement gains (largest = tallest stem)",
              .x = {.label = "t [s]"},
              .y = {.label = "weight"}};
    plot.layers.emplace_back(std::move(weights));
    plot.layers.emplace_back(std::move(gain));
    all += figure(plot);
  }
  Html out = plots(all);
  Table table;
  table.caption = "What is to be measured";
  table.columns = {{"what"},
                   {"t", Table::Kind::kNumber},
                   {"weight", Table::Kind::kNumber},
                   {"times", Table::Kind::kNumber}};
  constexpr std::size_t kMostRows = 200;
  for (const auto& s : tables.samples) {
    if (!(s.count > 1e-9) || table.rows.size() >= kMostRows) continue;
    table.rows.push_back({text(s.experiment + ": " + s.label), number(s.t, 6), number(s.weight, 4),
                          number(s.count, 4)});
  }
  out += html(table);
  return out;
}

Html variables_block(const result::Design& design) {
  if (design.variables.empty()) return text("No numbers were designed.");
  Table table;
  table.columns = {{"variable"},
                   {"lower", Table::Kind::kNumber},
                   {"start", Table::Kind::kNumber},
                   {"designed", Table::Kind::kNumber},
                   {"upper", Table::Kind::kNumber}};
  for (const auto& v : design.variables) {
    table.rows.push_back(
        {text(v.name), number(v.lower), number(v.start), number(v.value, 8), number(v.upper)});
  }
  return html(table);
}

}  // namespace
}  // namespace design_page

std::string design_report(const result::Design& design, const result::DesignTables& tables,
                          Liveness liveness) {
  std::vector<Remark> remarks;
  for (const auto& warning : design.verdict.warnings) {
    remarks.push_back({Weight::kDoubt, warning, ""});
  }
  std::vector<Fact> facts = {{"criterion", text(design.criterion),
                              design.relative ? "relative deviations" : "absolute deviations"}};
  if (design.start) {
    facts.push_back(
        {"criterion falls by",
         number(100 * (1 - std::exp(design.measures.psi - design.start->psi)), 3) + text(" %"),
         "from the design as it was given"});
  }
  if (design.choice) {
    facts.push_back({"certificate",
                     design.choice->certified ? number(design.choice->gap, 2) : text("none"),
                     "relative gap: no weights are better by more"});
    facts.push_back({"efficiency", number(design.choice->efficiency, 4), "of whole numbers"});
  }
  if (!design.starts.empty()) {
    facts.push_back({"searches", count(static_cast<long long>(design.starts.size())),
                     fmt::format("{} reached the best value", design.best_reached)});
  }
  const Weight weight = design.verdict.partial ? Weight::kBad
                        : remarks.empty()      ? Weight::kGood
                                               : Weight::kDoubt;
  Frame frame(
      "Design " + design.design,
      verdict_box(weight, design.verdict.partial ? "Interrupted." : "Designed.",
                  "The next experiment lies beside this page as problem_next.xml.", "", facts));
  frame.add("findings", "Findings", remarks_block(remarks));
  frame.add("parameters", "What it will tell", design_page::parameters_block(design));
  frame.add("measures", "Information", design_page::measures_block(design));
  if (!tables.inputs.empty()) frame.add("inputs", "Inputs", design_page::inputs_block(tables));
  frame.add("samples", "Measurements", design_page::samples_block(design, tables));
  frame.add("variables", "Variables", design_page::variables_block(design));
  frame.add("origin", "How it was made", origin_block(design.verdict));
  return finished(frame.page(), {}, liveness);
}

}  // namespace parfait::report
