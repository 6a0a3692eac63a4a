#include "parfait/report/pages/motion_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "parfait/base/error.h"
#include "parfait/report/drawing/cells.h"
#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/frame.h"
#include "parfait/report/html/numbers.h"

namespace parfait::report {
std::vector<std::string> advice_words(const result::Calibration& calibration) {
  std::vector<std::string> out;
  const auto mm = [](double x) {
    return std::isfinite(x) ? fmt::format("{:.1f} mm", 1e3 * x) : std::string("unknown");
  };
  for (const auto& adds : calibration.adds) {
    out.push_back(
        fmt::format("{} tells most about {}: its standard deviation is {}, without the "
                    "trial it would be {}.",
                    adds.trial, adds.length, mm(adds.sd), mm(adds.sd_without)));
  }
  for (const auto& further : calibration.further) {
    std::string coordinates;
    for (const auto& name : further.coordinates) {
      coordinates += (coordinates.empty() ? "" : " and ") + name;
    }
    constexpr double kDegrees = 180 / std::numbers::pi;
    out.push_back(fmt::format(
        "A trial in which {} go{} slowly from {:.0f} to {:.0f} degrees would "
        "tell {} better: {} instead of {}.",
        coordinates, further.coordinates.size() > 1 ? "" : "es", kDegrees * further.low,
        kDegrees * further.high, further.length, mm(further.promised_sd), mm(further.sd)));
  }
  return out;
}

namespace motion_pages {
namespace {

constexpr double kNormal95 = 1.959964;

/// Metres as millimetres.
Html millimetres(double metres, int digits = 4) {
  return number(1e3 * metres, digits);
}

std::vector<Remark> remarks_of(const result::Verdict& verdict) {
  std::vector<Remark> remarks;
  remarks.reserve(verdict.warnings.size());
  for (const auto& warning : verdict.warnings) remarks.push_back({Weight::kDoubt, warning, ""});
  return remarks;
}

/// "hip_flexion_r [rad]" as name and unit.
std::pair<std::string, std::string> name_and_unit(const std::string& header) {
  const auto bracket = header.rfind(" [");
  if (bracket == std::string::npos || !header.ends_with(']')) return {header, ""};
  return {header.substr(0, bracket), header.substr(bracket + 2, header.size() - bracket - 3)};
}

Html curve_plots(const TrialCurves& curves) {
  Html figures;
  const auto& table = curves.angles;
  if (table.num_rows() == 0) return figures;
  const auto& t = table.columns.front();
  for (std::size_t i = 1; i + 1 < table.columns.size(); i += 2) {
    auto [name, unit] = name_and_unit(table.header[i]);
    auto values = table.columns[i], sd = table.columns[i + 1];
    if (unit == "rad") {  // people read degrees
      for (auto* column : {&values, &sd}) {
        for (double& x : *column) x *= 180 / std::numbers::pi;
      }
      unit = "deg";
    }
    Plot plot{.name = "coordinate",
              .key = curves.trial + " " + name,
              .title = name,
              .text = "",
              .x = {.label = "t", .unit = "s"},
              .y = {.label = "", .unit = unit}};
    Band band{t, values, values};
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t f = 0; f < t.size(); ++f) {
      const double half = std::isfinite(sd[f]) ? kNormal95 * sd[f] : 0;
      band.low[f] = values[f] - half;
      band.high[f] = values[f] + half;
      low = std::min(low, values[f]);
      high = std::max(high, values[f]);
    }
    plot.text = fmt::format("{} from {} to {} {}, with 95 % intervals.", name, rounded(low, 4),
                            rounded(high, 4), unit);
    plot.layers.emplace_back(std::move(band));
    plot.layers.emplace_back(Line{t, values});
    const bool left = name.ends_with("_l"), right = name.ends_with("_r");
    for (const auto& event : curves.events) {
      // A curve of one side has the events of its foot, others the strikes of both.
      if (left || right ? event.left != left : !event.strike) continue;
      plot.layers.emplace_back(Rule{.at = event.t,
                                    .vertical = true,
                                    .ink = event.left ? Ink::kSecond : Ink::kLimit,
                                    .dashed = !event.strike});
    }
    figures += figure(plot);
  }
  return figures;
}

Html curves_block(const std::vector<TrialCurves>& curves) {
  Html out = legend({{LegendEntry::Sign::kLine, Ink::kModel, "coordinate"},
                     {LegendEntry::Sign::kBand, Ink::kModel,
                      "95 %, given the model; none where it is at a limit or not seen"},
                     {LegendEntry::Sign::kLine, Ink::kLimit, "strike of the right foot"},
                     {LegendEntry::Sign::kLine, Ink::kSecond, "of the left"},
                     {LegendEntry::Sign::kDashed, Ink::kLimit, "foot off"}});
  for (const auto& trial : curves) {
    out += element("h3", trial.trial) + plots(curve_plots(trial));
  }
  return out;
}

Html motion_words() {
  return element(
      "p",
      "Bones of the model, its markers, and the measured markers with lines from each to "
      "where the model has it. Gaps of at most half a second are bridged for the eye "
      "only.");
}

Html errors_block(const result::TrialPoseFacts& trial) {
  double largest = 0;
  for (const auto& marker : trial.markers) largest = std::max(largest, marker.rms);
  Table table{.caption = fmt::format("{}: distance of model and measurement, mm", trial.trial),
              .columns = {{"marker"},
                          {"role"},
                          {"frames", Table::Kind::kNumber},
                          {"rms", Table::Kind::kNumber},
                          {"mean", Table::Kind::kNumber},
                          {"largest", Table::Kind::kNumber},
                          {"rms beside the others"}}};
  auto markers = trial.markers;
  std::stable_sort(markers.begin(), markers.end(),
                   [](const auto& a, const auto& b) { return a.rms > b.rms; });
  for (const auto& marker : markers) {
    table.rows.push_back({text(marker.marker), text(marker.role), count(marker.frames),
                          millimetres(marker.rms), millimetres(marker.mean),
                          millimetres(marker.max),
                          bar_cell(largest > 0 ? marker.rms / largest : 0, false, 0,
                                   fmt::format("{} mm", rounded(1e3 * marker.rms, 3)))});
  }
  return html(table);
}

Html summary_table(const std::vector<result::TrialPoseFacts>& trials) {
  Table table{.caption = "Trials; errors in mm",
              .columns = {{"trial"},
                          {"frames", Table::Kind::kNumber},
                          {"rms", Table::Kind::kNumber},
                          {"anatomical", Table::Kind::kNumber},
                          {"tracking", Table::Kind::kNumber},
                          {"largest", Table::Kind::kNumber},
                          {"where"},
                          {"missing places", Table::Kind::kNumber},
                          {"iterations", Table::Kind::kNumber, "mean per frame"}}};
  for (const auto& trial : trials) {
    table.rows.push_back(
        {text(trial.trial), count(trial.frames), millimetres(trial.errors.rms),
         millimetres(trial.anatomical.rms), millimetres(trial.tracking.rms),
         millimetres(trial.errors.max),
         text(fmt::format("{} at {} s", trial.max_marker, rounded(trial.max_time, 4))),
         count(trial.missing), number(trial.mean_iterations, 3)});
  }
  return html(table);
}

Html limits_block(const std::vector<result::TrialPoseFacts>& trials) {
  Table table{.caption = "Coordinates that rest on a limit, or that markers do not tell",
              .columns = {{"trial"}, {"coordinate"}, {"what"}, {"frames", Table::Kind::kNumber}}};
  for (const auto& trial : trials) {
    for (const auto& limit : trial.at_limit) {
      table.rows.push_back(
          {text(trial.trial), text(limit.coordinate), text("at a limit"), count(limit.frames)});
    }
    for (const auto& name : trial.unseen) {
      table.rows.push_back({text(trial.trial), text(name), text("not seen"), count(trial.frames)});
    }
    for (const auto& limit : trial.partly_unseen) {
      table.rows.push_back(
          {text(trial.trial), text(limit.coordinate), text("not seen"), count(limit.frames)});
    }
  }
  return table.rows.empty()
             ? absent("Every coordinate is seen in every frame and within its limits.")
             : html(table);
}

Html trials_table(const result::Calibration& c) {
  Table table{
      .caption = "Trials; errors in mm (rms)",
      .columns = {{"trial"},
                  {"frames that count", Table::Kind::kNumber},
                  {"worth", Table::Kind::kNumber, "independent frames: errors of skin last"},
                  {"one takes [s]", Table::Kind::kNumber},
                  {"before", Table::Kind::kNumber},
                  {"fit", Table::Kind::kNumber},
                  {"all frames", Table::Kind::kNumber,
                   "poses solved again, also for frames that did not count"}}};
  for (const auto& trial : c.trials) {
    table.rows.push_back({text(trial.trial), count(trial.frames), number(trial.effective_frames, 3),
                          number(trial.seconds, 3), millimetres(trial.start_rms),
                          millimetres(trial.rms), millimetres(trial.rms_all)});
  }
  Html names;
  for (const auto& trial : c.trials) {
    std::string words =
        fmt::format("{}: {} markers of the model are measured", trial.trial, trial.markers);
    if (!trial.only_model.empty()) words += "; not " + base::listing(trial.only_model);
    if (!trial.only_data.empty()) {
      words += "; not on the model: " + base::listing(trial.only_data);
    }
    names += element("li", words + ".");
  }
  return html(table) + element("ul", names);
}

Html functional_table(const result::Calibration& c) {
  Table table{
      .caption = "Joints as a trial shows them that moves them, without the model; mm",
      .columns = {{"joint of"},
                  {"what"},
                  {"trial"},
                  {"apart", Table::Kind::kNumber, "calibrated from functional"},
                  {"in its axes"},
                  {"95 % within", Table::Kind::kNumber, "longest half axis of the functional one"},
                  {"gap", Table::Kind::kNumber, "rms between the centre's places on both bodies"},
                  {"used as"}}};
  for (const auto& j : c.functional) {
    table.rows.push_back({text(j.joint), text(j.what), text(j.trial), number(1e3 * j.distance, 3),
                          text(fmt::format("{:.0f}, {:.0f}, {:.0f} ({})", 1e3 * j.apart[0],
                                           1e3 * j.apart[1], 1e3 * j.apart[2], j.axes)),
                          number(1e3 * j.half_axis, 2), number(1e3 * j.gap, 2),
                          text(j.is_prior ? "prior and witness" : "witness")});
  }
  return html(table) +
         element("p",
                 "Centres by SCoRE, axes by SARA where a joint moves like a hinge; the interval "
                 "knows nothing of skin that moves as the angle does. In the literature centres of "
                 "hips by motion are 13 to 20 mm from those of images.");
}

Html lengths_table(const result::Calibration& c) {
  double reach = 0;
  for (const auto& l : c.lengths) {
    for (const double x : {l.low, l.high}) {
      if (std::isfinite(x)) reach = std::max(reach, 1e3 * std::abs(x - l.value));
    }
  }
  Table table{.caption = "Lengths between joint centres, mm",
              .columns = {{"length"},
                          {"value", Table::Kind::kNumber},
                          {"sd", Table::Kind::kNumber, "errors correlated in time"},
                          {"naive sd", Table::Kind::kNumber, "frames counted as independent"},
                          {fmt::format("95 % interval; the line is ±{} mm", rounded(reach, 2))}}};
  for (const auto& l : c.lengths) {
    ForestRow row;
    row.reach = reach;
    row.value = 1e3 * l.value;
    row.sd = 1e3 * l.sd;
    row.individual = {1e3 * l.low, 1e3 * l.high};
    row.text =
        fmt::format("{}: {} to {} mm", l.name, rounded(1e3 * l.low, 4), rounded(1e3 * l.high, 4));
    if (l.sd == 0) {
      table.rows.push_back(
          {text(l.name), number(1e3 * l.value, 4), text(""), text(""), text("held")});
      continue;
    }
    table.rows.push_back({text(l.name),
                          number(1e3 * l.value, rounded_like(1e3 * l.value, 1e3 * l.sd)),
                          millimetres(l.sd, 2), millimetres(l.naive_sd, 2), forest_cell(row)});
  }
  return html(table);
}

/// What a parameter of a calibration is, by its name.
enum class NumberKind : std::uint8_t { kScale, kJoint, kTurn, kMarker };
NumberKind kind_of(const std::string& name) {
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  return has(".scale.")   ? NumberKind::kScale
         : has(".joint.") ? NumberKind::kJoint
         : has(".turn.")  ? NumberKind::kTurn
                          : NumberKind::kMarker;
}

Html parameters_table(const result::Calibration& c, NumberKind kind) {
  const char* captions[] = {"Scale factors", "Places of joints on the body before, mm",
                            "Turns of joints, rad", "Places of markers before scaling, mm"};
  Table table{.caption = captions[static_cast<int>(kind)],
              .columns = {{"number"},
                          {"value", Table::Kind::kNumber},
                          {"sd", Table::Kind::kNumber},
                          {"prior", Table::Kind::kNumber},
                          {"its sd", Table::Kind::kNumber},
                          {"moved by", Table::Kind::kNumber, "in standard deviations of the prior"},
                          {"told by data"}}};
  const double unit = kind == NumberKind::kJoint || kind == NumberKind::kMarker ? 1e3 : 1;
  for (const auto& p : c.parameters) {
    if (kind_of(p.name) != kind) continue;
    const bool has_prior = !std::isnan(p.prior_sd);
    table.rows.push_back({text(p.name), number(unit * p.value, 4), number(unit * p.sd, 2),
                          has_prior ? number(unit * p.prior_mean, 4) : text("none"),
                          has_prior ? number(unit * p.prior_sd, 2) : text(""),
                          has_prior ? number(p.moved, 2) : text(""),
                          bar_cell(p.told_by_data, p.told_by_data < 0.5, 0,
                                   fmt::format("{:.0f} %", 100 * p.told_by_data))});
  }
  return table.rows.empty() ? Html{} : html(table);
}

Html shapes_table(const result::Calibration& c) {
  if (c.shapes.empty()) return absent("Nothing was said about hips, joint centres or lengths.");
  Table table{
      .caption = "What was known of the shape, mm",
      .columns = {{"number"},
                  {"value", Table::Kind::kNumber},
                  {"sd", Table::Kind::kNumber},
                  {"prior", Table::Kind::kNumber},
                  {"its sd", Table::Kind::kNumber},
                  {"data moved it by", Table::Kind::kNumber, "in its standard deviations"}}};
  for (const auto& p : c.shapes) {
    table.rows.push_back({text(p.name), number(1e3 * p.value, 4), number(1e3 * p.sd, 2),
                          number(1e3 * p.prior_mean, 4), number(1e3 * p.prior_sd, 2),
                          number(p.moved, 2)});
  }
  return html(table) + element("p",
                               "Hips: x forward, y up, z to the right, from the middle between the "
                               "ASIS. Joints between markers: from their middle, in axes of the "
                               "body.");
}

Html artefacts_table(const result::Calibration& c) {
  Table table{
      .caption = "What is left of each marker: the largest first",
      .columns = {{"trial"},
                  {"marker"},
                  {"rms [mm]", Table::Kind::kNumber},
                  {"noise [mm]", Table::Kind::kNumber, "the part that is new in every frame"},
                  {"lasts [s]", Table::Kind::kNumber, "of an error"}}};
  auto sorted = c.artefacts;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.rms > b.rms; });
  for (const auto& a : sorted) {
    table.rows.push_back({text(a.trial), text(a.marker), number(1e3 * a.rms, 3),
                          number(1e3 * a.noise, 2), number(a.seconds, 2)});
  }
  return html(table);
}

Html advice_block(const result::Calibration& c) {
  Html items;
  for (const auto& words : advice_words(c)) items += element("li", words);
  if (items.empty()) return absent("No length would be told much better by another motion.");
  return element("ul", items);
}

Html undetermined_block(const result::Calibration& c) {
  if (c.undetermined.empty()) return absent("The markers tell every direction of the parameters.");
  Html items;
  for (const auto& words : c.undetermined) items += element("li", words);
  return element("p",
                 fmt::format(
                     "{} of {} directions of the parameters change no marker at all, and in {} the "
                     "priors say more than the data. Nothing in these trials can tell:",
                     c.num_undetermined, c.parameters.size(), c.num_by_prior)) +
         element("ul", items);
}

}  // namespace
}  // namespace motion_pages

std::string poses_report(const result::InverseKinematics& poses,
                         const std::vector<TrialCurves>& curves, const result::Scenes& scenes,
                         Liveness liveness) {
  namespace mp = motion_pages;
  const auto remarks = mp::remarks_of(poses.verdict);
  double squares = 0;
  long long samples = 0, frames = 0;
  for (const auto& trial : poses.trials) {
    squares += trial.errors.rms * trial.errors.rms * trial.errors.count;
    samples += trial.errors.count;
    frames += trial.frames;
  }
  const double rms = samples > 0 ? std::sqrt(squares / static_cast<double>(samples)) : 0;
  Frame frame(
      "Poses of " + poses.model,
      verdict_box(
          remarks.empty() ? Weight::kGood : Weight::kDoubt, "Done.",
          fmt::format("Markers are off by {} mm (root mean square).", rounded(1e3 * rms, 4)),
          rms > 0.03 ? "What to do: parfait calibrate fits the model to the subject." : "",
          {{"marker error", mp::millimetres(rms) + text(" mm"), "rms of all samples"},
           {"frames", count(frames), ""},
           {"coordinates", count(static_cast<long long>(poses.coordinates.size())), ""}}));
  frame.add("findings", "Findings", remarks_block(remarks));
  if (const Html motion = motion_block(scenes, liveness); !motion.empty()) {
    frame.add("motion", "Motion", mp::motion_words() + motion);
  }
  Html errors = mp::summary_table(poses.trials);
  for (const auto& trial : poses.trials) errors += mp::errors_block(trial);
  frame.add("errors", "Marker errors", errors);
  frame.add("limits", "Limits and what is not seen", mp::limits_block(poses.trials));
  frame.add("coordinates", "Coordinates", mp::curves_block(curves));
  frame.add("origin", "How it was made", origin_block(poses.verdict));
  return finished(frame.page(), scenes, liveness);
}

std::string calibration_report(const result::Calibration& calibration,
                               const std::vector<TrialCurves>& curves, const result::Scenes& scenes,
                               Liveness liveness) {
  namespace mp = motion_pages;
  const auto remarks = mp::remarks_of(calibration.verdict);
  const Weight weight = calibration.verdict.partial ? Weight::kBad
                        : remarks.empty()           ? Weight::kGood
                                                    : Weight::kDoubt;
  Frame frame(
      "Calibration of " + calibration.model,
      verdict_box(weight, calibration.verdict.partial ? "Not converged." : "Converged.",
                  fmt::format("Markers are off by {} mm (root mean square).",
                              rounded(1e3 * calibration.rms, 4)),
                  "",
                  {{"marker error", mp::millimetres(calibration.rms) + text(" mm"),
                    "rms of the frames that count"},
                   {"parameters", count(static_cast<long long>(calibration.parameters.size())), ""},
                   {"not told", count(calibration.num_undetermined), "directions without data"},
                   {"iterations", count(calibration.iterations), ""}}));
  frame.add("findings", "Findings", remarks_block(remarks));
  if (const Html motion = motion_block(scenes, liveness); !motion.empty()) {
    frame.add("motion", "Motion", mp::motion_words() + motion);
  }
  frame.add("trials", "Trials", mp::trials_table(calibration));
  frame.add("lengths", "Lengths", mp::lengths_table(calibration));
  frame.add("untold", "What markers do not tell", mp::undetermined_block(calibration));
  frame.add("advice", "What trials add", mp::advice_block(calibration));
  frame.add("shape", "Known of the shape", mp::shapes_table(calibration));
  if (!calibration.functional.empty()) {
    frame.add("functional", "Functional joints", mp::functional_table(calibration));
  }
  frame.add("artefacts", "Skin and noise", mp::artefacts_table(calibration));
  Html factors;
  for (const auto kind : {mp::NumberKind::kScale, mp::NumberKind::kJoint, mp::NumberKind::kTurn}) {
    factors += mp::parameters_table(calibration, kind);
  }
  frame.add("factors", "Scale factors and joints",
            factors.empty() ? absent("None of them was free.") : factors);
  const Html places = mp::parameters_table(calibration, mp::NumberKind::kMarker);
  frame.add("places", "Places of markers", places.empty() ? absent("None was free.") : places);
  frame.add("coordinates", "Coordinates", mp::curves_block(curves));
  frame.add("origin", "How it was made", origin_block(calibration.verdict));
  return finished(frame.page(), scenes, liveness);
}

}  // namespace parfait::report
