#include "parfait/run/summary/modes_text.h"

#include <cmath>

#include "parfait/base/counted.h"
#include "parfait/base/error.h"
#include "parfait/run/summary/words.h"

namespace parfait::run {
namespace {

void print_mode(Words& out, const result::Mode& mode) {
  const std::string frequency = mode.swings() ? fmt::format("{:.6g}", mode.frequency_hz) : "-";
  // An undamped mode has what rounding leaves.
  const double damping = std::abs(mode.damping) < 1e-9 ? 0.0 : 100 * mode.damping;
  const std::string percent = mode.swings() ? fmt::format("{:.4g}", damping) : "-";
  const std::string time = damping == 0 ? "-" : fmt::format("{:.4g}", mode.time_constant);
  out.print("{:>6}  {:>14}  {:>10}  {:>16}  {}\n", mode.number, frequency, percent, time,
            mode.moves_most);
}

}  // namespace

std::string modes_text(const ModesRun& run, const std::filesystem::path& folder) {
  Words out;
  const auto& m = run.result;
  // A result that was read back does not know what is in the model.
  out.print("{}{}{}\n", m.model, run.contents.empty() ? "" : ": ", run.contents);
  if (m.equilibrium) {
    out.print("{}\n", m.equilibrium->message);
    out.print("  moved by {:.3g}, accelerations and rates left {:.1e}\n", m.equilibrium->moved,
              m.equilibrium->residual);
    if (m.equilibrium->prescribed_speed > 0) {
      out.print("  driven constraints, which move with {:.3g}, are held where they are\n",
                m.equilibrium->prescribed_speed);
    }
  } else {
    out.print("about the initial position, at rest: {}\n", m.stability.value_or("not known"));
    if (m.residual > 1e-6) {
      out.print("  not an equilibrium: accelerations or rates of {:.3g}\n", m.residual);
    }
  }
  if (!m.neutral.empty()) {
    out.print("  {} neither swing nor decay: {}\n",
              base::counted(static_cast<std::int64_t>(m.neutral.size()), "direction", "directions"),
              base::listing(m.neutral));
  }
  if (!m.modes.empty()) {
    out.print("{:>6}  {:>14}  {:>10}  {:>16}  {}\n", "mode", "frequency [Hz]", "damping [%]",
              "time constant [s]", "moves most");
    for (const auto& mode : m.modes) print_mode(out, mode);
  }
  if (!folder.empty()) {
    out.print(
        "results in {}: report.html, modes.csv, shapes.csv, equilibrium.csv, result.json, "
        "timing.json\n",
        folder.string());
  }
  return out.text();
}

}  // namespace parfait::run
