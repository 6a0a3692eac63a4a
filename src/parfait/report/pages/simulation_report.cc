#include "parfait/report/pages/simulation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/report/blocks/simulation_blocks.h"
#include "parfait/report/html/numbers.h"

namespace parfait::report {
namespace {

std::string simulation_advice(const result::Simulation& s) {
  if (!s.verdict.partial) return "";
  if (s.verdict.status == "interrupted") return "What had been computed by then is shown.";
  if (s.verdict.status == "not_settled") {
    return "What to do: begin nearer to the position of rest, or look for a mechanism that has "
           "none.";
  }
  return "What to do: look at the last moments below; then at parameters and initial values, at "
         "tolerances (--rtol, --atol) and at the integrator (bdf for stiff models).";
}

}  // namespace

std::vector<Remark> simulation_remarks(const SimulationView& view) {
  const auto& s = view.simulation;
  std::vector<Remark> remarks;
  for (const auto& warning : s.verdict.warnings) remarks.push_back({Weight::kDoubt, warning, ""});
  constexpr double kMoved = 1e-3;
  if (s.assembly && s.assembly->moved > kMoved) {
    remarks.push_back({Weight::kDoubt,
                       fmt::format("The initial position did not fit the joints: assembly moved it "
                                   "by {} m.",
                                   rounded(s.assembly->moved, 3)),
                       "invariants"});
  }
  if (s.partition && s.partition->choices.size() > 1) {
    remarks.push_back({Weight::kDoubt,
                       fmt::format("Which redundant constraints are left out changed {}.",
                                   counted(static_cast<long long>(s.partition->choices.size()) - 1,
                                           "time", "times")),
                       "invariants"});
  }
  constexpr std::int64_t kFewSteps = 20;
  if (s.work.steps > kFewSteps && s.work.rejected > s.work.steps) {
    remarks.push_back({Weight::kDoubt,
                       fmt::format("{} steps were rejected and {} accepted: the model is hard for "
                                   "this integrator.",
                                   s.work.rejected, s.work.steps),
                       "steps"});
  }
  return remarks;
}

Html simulation_verdict(const SimulationView& view, const std::vector<Remark>& remarks) {
  const auto& s = view.simulation;
  const Weight weight = s.verdict.partial ? Weight::kBad
                        : remarks.empty() ? Weight::kGood
                                          : Weight::kDoubt;
  std::string word = s.verdict.partial ? "Not finished." : "Finished.";
  if (s.verdict.status == "interrupted") word = "Interrupted.";
  std::vector<Fact> facts = {
      {"reached", text("t = ") + number(s.t) + text(" s"),
       fmt::format("of {} s", rounded(s.options.until))},
      {"steps", count(s.work.steps),
       fmt::format("{} rejected, {}", s.work.rejected, s.options.integrator)}};
  if (s.drift.energy) {
    facts.push_back({"energy change", number(s.drift.energy->largest, 2) + text(" J"),
                     "largest; sources and dampers count as well"});
  }
  if (s.drift.constraints) {
    facts.push_back({"constraints", number(s.drift.constraints->largest, 2), "largest violation"});
  }
  if (!s.events.empty()) {
    facts.push_back({"events", count(static_cast<long long>(s.events.size())), ""});
  }
  const std::string sentence =
      s.verdict.partial ? s.verdict.message + (s.verdict.message.ends_with('.') ? "" : ".")
                        : fmt::format("The motion was computed until t = {} s.", rounded(s.t));
  return verdict_box(weight, word, sentence, simulation_advice(s), facts);
}

std::string simulation_report(const result::Simulation& simulation, const result::Table& trajectory,
                              const result::Table& steps, const result::Scenes& scenes,
                              Liveness liveness) {
  const SimulationView view{simulation, trajectory, steps};
  const auto remarks = simulation_remarks(view);
  Frame frame("Simulation of " + simulation.model, simulation_verdict(view, remarks));
  frame.add("findings", "Findings", remarks_block(remarks, !simulation.verdict.partial));
  if (const Html motion = motion_block(scenes, liveness); !motion.empty()) {
    frame.add("motion", "Motion", motion);
  }
  frame.add("quantities", "Quantities", quantities_block(view));
  frame.add("invariants", "Energies and invariants", invariants_block(view));
  frame.add("events", "Events", events_block(view));
  frame.add("steps", "Step sizes", steps_block(view));
  frame.add("sensitivities", "Sensitivities", sensitivities_block(view));
  frame.add("origin", "How it was made", simulation_origin(view));
  return finished(frame.page(), scenes, liveness);
}

}  // namespace parfait::report
