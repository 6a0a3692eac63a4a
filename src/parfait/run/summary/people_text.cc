#include "parfait/run/summary/people_text.h"

#include "parfait/report/pages/motion_report.h"

#include <cmath>

#include "parfait/base/error.h"
#include "parfait/run/summary/words.h"

namespace parfait::run {
namespace people_text {
namespace {

void print_errors(Words& out, const char* what, const result::ErrorSummary& errors) {
  if (errors.count == 0) return;
  out.print("  {:<12}{:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f}\n", what, 1e3 * errors.rms,
            1e3 * errors.mean, 1e3 * errors.mean_frame_max, 1e3 * errors.max);
}

void print_limits(Words& out, const char* what, const std::vector<result::LimitFacts>& limits,
                  int frames) {
  if (limits.empty()) return;
  std::vector<std::string> words;
  words.reserve(limits.size());
  for (const auto& limit : limits) {
    words.push_back(fmt::format("{} ({} of {} frames)", limit.coordinate, limit.frames, frames));
  }
  out.print("  {}: {}\n", what, base::listing(words));
}

void print_trial(Words& out, const result::TrialPoseFacts& trial) {
  out.print("{}: {} frames, {:g} to {:g} s, {} markers of the model\n", trial.trial, trial.frames,
            trial.start, trial.end, trial.markers.size());
  if (!trial.only_model.empty()) {
    out.print("  not measured: {}\n", base::listing(trial.only_model));
  }
  if (!trial.only_data.empty()) {
    out.print("  not on the model: {}\n", base::listing(trial.only_data));
  }
  if (trial.missing > 0) out.print("  missing: {} places\n", trial.missing);
  out.print("  {:<12}{:>9} {:>9} {:>9} {:>9}\n", "errors [mm]", "rms", "mean", "frame max", "max");
  print_errors(out, "all", trial.errors);
  print_errors(out, "anatomical", trial.anatomical);
  print_errors(out, "tracking", trial.tracking);
  out.print("  largest at {} at {:g} s; {:.1f} iterations per frame (at most {})\n",
            trial.max_marker, trial.max_time, trial.mean_iterations, trial.max_iterations);
  print_limits(out, "at a limit", trial.at_limit, trial.frames);
  print_limits(out, "not seen", trial.partly_unseen, trial.frames);
}

void print_calibration(Words& out, const result::Calibration& result) {
  out.print("{} after {} iterations: marker error {:.2f} mm rms\n", result.verdict.status,
            result.iterations, 1e3 * result.rms);
  out.print("  {:<16}{:>8}{:>8}{:>12}{:>12}{:>14}\n", "trial", "frames", "worth", "before [mm]",
            "fit [mm]", "all [mm]");
  for (const auto& trial : result.trials) {
    out.print("  {:<16}{:>8}{:>8.1f}{:>12.2f}{:>12.2f}{:>14.2f}\n", trial.trial, trial.frames,
              trial.effective_frames, 1e3 * trial.start_rms, 1e3 * trial.rms, 1e3 * trial.rms_all);
  }
  for (const auto& trial : result.trials) {
    out.print("  {}: {} markers of the model are measured", trial.trial, trial.markers);
    if (!trial.only_model.empty()) out.print("; not {}", base::listing(trial.only_model));
    if (!trial.only_data.empty()) {
      out.print("; not on the model: {}", base::listing(trial.only_data));
    }
    out.print("\n");
  }
  out.print("  {:<40}{:>10}{:>10}{:>22}\n", "length [mm]", "", "sd", "95 %");
  for (const auto& length : result.lengths) {
    if (length.sd == 0) {
      out.print("  {:<40}{:>10.1f}{:>10}{:>22}\n", length.name, 1e3 * length.value, "", "held");
      continue;
    }
    out.print("  {:<40}{:>10.1f}{:>10.1f}{:>22}\n", length.name, 1e3 * length.value,
              1e3 * length.sd,
              fmt::format("{:.1f} ... {:.1f}", 1e3 * length.low, 1e3 * length.high));
  }
  const auto print_numbers = [&](const char* heading, const auto& numbers, double unit, int digits,
                                 const auto& is_shown) {
    bool any = false;
    for (const auto& p : numbers) {
      if (!is_shown(p.name)) continue;
      if (!any) {
        out.print("  {:<40}{:>10}{:>10}{:>12}{:>14}\n", heading, "", "sd", "moved [sd]",
                  "told by data");
      }
      any = true;
      out.print("  {:<40}{:>10.{}f}{:>10.{}f}{:>12}{:>12.0f} %\n", p.name, unit * p.value, digits,
                unit * p.sd, digits, std::isnan(p.moved) ? "" : fmt::format("{:+.1f}", p.moved),
                100 * p.told_by_data);
    }
  };
  const auto has = [](const char* part) {
    return [part](const std::string& name) { return name.find(part) != std::string::npos; };
  };
  print_numbers("scale factor", result.parameters, 1, 4, has(".scale."));
  print_numbers("place of a joint [mm]", result.parameters, 1e3, 1, has(".joint."));
  print_numbers("turn of a joint [rad]", result.parameters, 1, 4, has(".turn."));
  print_numbers("known of the shape [mm]", result.shapes, 1e3, 1, has(""));
  if (!result.functional.empty()) {
    out.print("  {:<40}{:>10}{:>16}{:>10}{:>10}\n", "functional joint [mm]", "apart", "95 % within",
              "gap", "frames");
    for (const auto& joint : result.functional) {
      out.print("  {:<40}{:>10.1f}{:>16.1f}{:>10.1f}{:>10}\n",
                fmt::format("{} of {} ({}{})", joint.what, joint.joint, joint.trial,
                            joint.is_prior ? ", a prior" : ""),
                1e3 * joint.distance, 1e3 * joint.half_axis, 1e3 * joint.gap, joint.frames);
    }
  }
  if (result.num_undetermined > 0) {
    out.print("markers do not tell {} of {} directions{}:\n", result.num_undetermined,
              result.parameters.size(),
              std::isnan(result.parameters.front().prior_sd) ? "" : "; priors decide there");
    for (const auto& words : result.undetermined) out.print("  {}\n", words);
  }
  for (const auto& words : report::advice_words(result)) out.print("{}\n", words);
}

void print_end(Words& out, const std::vector<std::string>& warnings,
               const std::filesystem::path& folder) {
  for (const auto& warning : warnings) out.print("warning: {}\n", warning);
  if (!folder.empty()) out.print("results in {}\n", folder.string());
}

}  // namespace
}  // namespace people_text

std::string poses_text(const InverseKinematicsRun& run, const std::filesystem::path& folder) {
  Words out;
  for (const auto& trial : run.result.trials) people_text::print_trial(out, trial);
  people_text::print_end(out, run.result.verdict.warnings, folder);
  return out.text();
}

std::string calibration_text(const CalibrateRun& run, const std::filesystem::path& folder) {
  Words out;
  people_text::print_calibration(out, run.result);
  people_text::print_end(out, run.result.verdict.warnings, folder);
  return out.text();
}

std::string gait_text(const GaitRun& run, const std::filesystem::path& folder) {
  Words out;
  const auto value = [](double x) { return std::isnan(x) ? "–" : fmt::format("{:.4g}", x); };
  for (const auto& trial : run.result.trials) {
    out.print("{}: {} strides{}; events of: {}\n", trial.trial, trial.strides.size(),
              trial.treadmill ? " on a treadmill" : "",
              trial.source.empty() ? "none" : trial.source);
    for (const char* source : {"forces", "kinematics"}) {
      int found = 0, both = 0;
      double most = 0;
      for (const auto& event : trial.events) {
        if (event.source != source) continue;
        ++found;
        if (std::isnan(event.from_file)) continue;
        ++both;
        most = std::max(most, std::abs(event.from_file));
      }
      if (found == 0) continue;
      out.print("  {}: {} events, {} of them in the file as well", source, found, both);
      if (both > 0) out.print(", at most {:.0f} ms from it", 1e3 * most);
      out.print("\n");
    }
  }
  out.print("{:<16} {:>10} {:>9} {:>9} {:>9} {:>9}\n", "", "unit", "left", "sd", "right", "sd");
  const auto& parameters = run.result.parameters;
  for (std::size_t i = 0; i + 1 < parameters.size(); i += 2) {
    const auto &left = parameters[i], &right = parameters[i + 1];
    out.print("{:<16} {:>10} {:>9} {:>9} {:>9} {:>9}\n", left.name, left.unit, value(left.mean),
              value(left.sd), value(right.mean), value(right.sd));
  }
  people_text::print_end(out, run.result.verdict.warnings, folder);
  return out.text();
}

std::string subject_text(const result::BatchSubject& subject) {
  const bool found = !std::isnan(subject.rms);
  return fmt::format("{:<20} {:<14} {}\n", subject.subject, subject.status,
                     found ? fmt::format("{} trials, {} frames, {:.3f} mm", subject.trials,
                                         subject.frames, 1e3 * subject.rms)
                           : subject.message);
}

std::string batch_text(const BatchRun& run, const std::filesystem::path& folder) {
  std::string out;
  for (const auto& subject : run.result.subjects) out += subject_text(subject);
  if (!folder.empty()) out += fmt::format("table and report of all in {}\n", folder.string());
  return out;
}

std::string scaling_text(const ScaleRun& run, const std::filesystem::path& folder) {
  Words out;
  const auto& result = run.result;
  for (const auto& measurement : result.measurements) {
    out.print("{}: {:.4f}\n", measurement.name, measurement.factor);
    for (const auto& pair : measurement.pairs) {
      out.print("  {} – {}: {:.1f} mm measured, {:.1f} mm on the model\n", pair.a, pair.b,
                1e3 * pair.measured, 1e3 * pair.model);
    }
  }
  out.print("{:<16} {:>9} {:>9} {:>9} {:>11}\n", "body", "x", "y", "z", "mass [kg]");
  for (const auto& body : result.bodies) {
    out.print("{:<16} {:>9.5f} {:>9.5f} {:>9.5f} {:>11.4f}\n", body.body, body.factors[0],
              body.factors[1], body.factors[2], body.mass);
  }
  out.print("together {:.4g} kg, {:.4g} kg before\n", result.mass, result.mass_before);
  if (!result.markers.empty()) {
    out.print("static pose: markers with a weight off by {:.1f} mm (rms), {:.1f} mm at most\n",
              1e3 * result.static_rms, 1e3 * result.static_max);
  }
  people_text::print_end(out, result.verdict.warnings, folder);
  return out.text();
}

std::string moments_text(const InverseDynamicsRun& run, const std::filesystem::path& folder) {
  Words out;
  const auto& result = run.result;
  out.print("{}: {} rows from {:g} to {:g} s at {:g} Hz, {:.4g} kg{}\n", result.motion, result.rows,
            result.start, result.end, result.rate, result.mass,
            result.filter > 0 ? fmt::format(", filtered at {:g} Hz", result.filter) : "");
  out.print("  {:<24} {:>4} {:>11} {:>11} {:>11} {:>12} {:>12}\n", "coordinate", "unit", "rms",
            "least", "largest", "least [W]", "largest [W]");
  for (const auto& c : result.coordinates) {
    out.print("  {:<24} {:>4} {:>11.4g} {:>11.4g} {:>11.4g} {:>12.4g} {:>12.4g}\n", c.name, c.unit,
              c.rms, c.least, c.largest, c.least_power, c.largest_power);
  }
  for (const auto& cycle : result.cycles) {
    out.print("  cycle of {} ({}): {:g} to {:g} s\n", cycle.load, cycle.body, cycle.start,
              cycle.end);
  }
  for (const auto& warning : result.verdict.warnings) out.print("  warning: {}\n", warning);
  if (!folder.empty()) {
    out.print("results in {}: {}, result.json, timing.json\n", folder.string(),
              base::listing(result.files));
  }
  return out.text();
}

std::string human_text(const HumanRun& run) {
  Words out;
  const auto& body = run.human.body;
  out.print("{:<16}  {:>9}  {:>24}  {:>30}\n", "segment", "mass [kg]", "centre of mass [m]",
            "moments of inertia [kg m^2]");
  double mass = 0;
  for (const auto& s : body.segments) {
    mass += s.mass;
    out.print("{:<16}  {:9.4f}  {:7.4f} {:7.4f} {:8.4f}  {:9.5f} {:9.5f} {:9.5f}\n", s.id, s.mass,
              s.center.x(), s.center.y(), s.center.z(), s.inertia(0, 0), s.inertia(1, 1),
              s.inertia(2, 2));
  }
  out.print("together {:.4f} kg, {:.4f} m tall\n", mass, body.lengths.stature());
  for (const auto& remark : body.remarks) out.print("note: {}\n", remark);
  return out.text();
}

std::string human_text(const HeiManRun& run) {
  Words out;
  out.print("{:<16}  {:>9}  {:>24}  {:>30}\n", "segment", "mass [kg]", "centre of mass [m]",
            "moments of inertia [kg m^2]");
  const auto& model = run.heiman.model;
  double mass = 0;
  std::size_t coordinates = 0;
  for (const auto& body : model.bodies) {
    const auto& c = body.center_of_mass;
    mass += body.mass.number;
    out.print("{:<16}  {:9.4f}  {:7.4f} {:7.4f} {:8.4f}  {:9.5f} {:9.5f} {:9.5f}\n", body.id,
              body.mass.number, c[0].number, c[1].number, c[2].number, body.inertia[0][0].number,
              body.inertia[1][1].number, body.inertia[2][2].number);
  }
  for (const auto& joint : model.joints) coordinates += joint.motion.coordinates.size();
  out.print("together {:.4f} kg, {} degrees of freedom, {} markers\n", mass, coordinates,
            model.skin_markers.size());
  bool any = false;
  for (const auto& parameter : run.heiman.parameters) {
    if (parameter.value == parameter.uniform) continue;
    if (!any) out.print("\n{:<24}{:>10}  {:>22}\n", "parameter", "value", "beside the uniform one");
    any = true;
    out.print("{:<24}{:>10.4f}  {:>+22.4f}\n", parameter.name, parameter.value,
              parameter.value - parameter.uniform);
  }
  return out.text();
}

}  // namespace parfait::run
