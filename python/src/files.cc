#include <array>

#include "bindings.h"
#include "parfait/base/error.h"
#include "parfait/io/petab/petab.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/results/elements_json.h"
#include "parfait/io/results/result_json.h"
#include "parfait/report/drawing/plot.h"
#include "parfait/report/html/style.h"
#include "parfait/run/fit/facts.h"
#include "parfait/run/human/human.h"
#include "parfait/run/import/motion_import.h"
#include "parfait/run/import/petab_import.h"
#include "parfait/run/job/plugin.h"
#include "parfait/run/job/report.h"
#include "parfait/run/job/version.h"
#include "parfait/run/motion/joints.h"
#include "parfait/run/summary/facts_text.h"
#include "parfait/run/summary/saved_runs.h"
#include "parfait/run/verification/verification.h"

namespace parfait::python {
namespace {

std::string verify(const py::dict& options) {
  Conversation conversation(options);
  py::object on_solved;
  take(options, "on_solved", on_solved);
  const auto hear = [&](const auto& problem) {
    if (!on_solved) return;
    const py::gil_scoped_acquire lock;
    conversation.tell(on_solved, problem.name, problem.digits, problem.passed);
  };
  result::Verification found;
  {
    const py::gil_scoped_release released;
    found = run::verify(conversation.callbacks(), hear);
  }
  auto text = io::result_text(found);
  conversation.raise_if_interrupted(py::str(text));
  return text;
}

py::tuple import_motion(const std::string& file, const py::dict& options) {
  run::MotionImportRequest request;
  request.file = file;
  take(options, "units", request.units);
  take(options, "axes", request.axes);
  std::string out;
  take(options, "out", out);
  request.out = out;
  const auto run = attended([&] {
    auto made = io::is_petab_file(file) ? run::import_petab(request) : run::import_motion(request);
    if (!out.empty()) run::save(made, request.out);
    return made;
  });
  py::dict tables;
  for (const auto& [name, text] : run.tables) tables[py::str(name)] = text;
  return py::make_tuple(io::result_text(run.result), tables);
}

using NamedLine = std::tuple<std::string, std::vector<double>, std::vector<double>>;

/// A figure of the report with lines of one's own, and the style it needs.
py::tuple draw_lines(const std::string& title, const std::string& x, const std::string& y,
                     bool log_y, const std::vector<NamedLine>& lines) {
  using report::Ink;
  constexpr std::array kInks{Ink::kModel, Ink::kSecond, Ink::kThird, Ink::kFourth, Ink::kFifth};
  report::Plot plot{.name = "lines",
                    .title = title,
                    .text = title,
                    .x = {.label = x},
                    .y = {.label = y, .log = log_y}};
  std::vector<report::LegendEntry> entries;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [name, xs, ys] = lines[i];
    if (xs.size() != ys.size()) {
      throw base::InputError("line \"" + name + "\": x and y must have the same length.");
    }
    const Ink ink = kInks[i % kInks.size()];
    const bool dashed = i / kInks.size() % 2 == 1;
    using Sign = report::LegendEntry::Sign;
    entries.push_back({dashed ? Sign::kDashed : Sign::kLine, ink, name});
    plot.layers.emplace_back(report::Line{xs, ys, ink, dashed});
  }
  return py::make_tuple(
      report::figure(plot.name, "", plot.title, "", picture(plot) + report::legend(entries))
          .markup(),
      "<style>" + std::string(report::style_sheet()) + "</style>");
}

std::string make_human(const py::dict& options) {
  run::HumanRequest request;
  auto& person = request.person;
  std::string sex, posture = "standing";
  take(options, "sex", sex);
  take(options, "posture", posture);
  if (sex != "male" && sex != "female") {
    throw base::InputError("sex=\"" + sex + "\": must be male or female.");
  }
  if (posture != "standing" && posture != "sitting") {
    throw base::InputError("posture=\"" + posture + "\": must be standing or sitting.");
  }
  person.sex = sex == "male" ? motion::Sex::kMale : motion::Sex::kFemale;
  request.posture = posture == "sitting" ? motion::Posture::kSitting : motion::Posture::kStanding;
  take(options, "height", person.height);
  take(options, "mass", person.mass);
  take(options, "table", request.table);
  take(options, "segments", request.segments);
  take(options, "recline", request.recline);
  if (options.contains("lengths")) {
    for (const auto& [name, length] : options["lengths"].cast<py::dict>()) {
      const auto id = read_as<std::string>("lengths", name);
      person.lengths[id] = read_as<double>(id, length);
    }
  }
  const py::gil_scoped_release released;
  return run::make_human(request).text;
}

std::string make_heiman(const py::dict& options) {
  motion::HeiManRequest request;
  std::string sex = "male";
  take(options, "sex", sex);
  if (sex != "male" && sex != "female") {
    throw base::InputError("sex=\"" + sex + "\": must be male or female.");
  }
  request.sex = sex == "male" ? motion::Sex::kMale : motion::Sex::kFemale;
  take(options, "height", request.height);
  take(options, "mass", request.mass);
  take(options, "dimensions", request.dimensions);
  take(options, "as_published", request.as_published);
  if (options.contains("set")) {
    for (const auto& [name, value] : options["set"].cast<py::dict>()) {
      const auto id = read_as<std::string>("set", name);
      request.set[id] = read_as<double>(id, value);
    }
  }
  if (options.contains("joint")) {
    for (const auto& [name, axes] : options["joint"].cast<py::dict>()) {
      const auto id = read_as<std::string>("joint", name);
      request.joints[id] = read_as<std::string>(id, axes);
    }
  }
  const py::gil_scoped_release released;
  return run::make_heiman(request, run::HeiManFormat::kXml).text;
}

py::dict find_joint(const py::dict& options) {
  run::JointsRequest request;
  take(options, "trial", request.trial);
  take(options, "proximal", request.proximal);
  take(options, "distal", request.distal);
  take(options, "hinge", request.hinge);
  take(options, "units", request.reading.units);
  take(options, "axes", request.reading.axes);
  const auto run = attended([&] { return run::find_joint(request); });
  const auto list = [](const Eigen::Vector3d& v) { return std::vector<double>{v[0], v[1], v[2]}; };
  py::dict out;
  out["center"] = list(run.joint.center);
  out["half_axes"] = list(run.joint.half_axes());
  out["gap"] = run.joint.gap;
  out["gamage_lasenby"] = list(run.gamage);
  out["axis"] = list(run.joint.axis);
  out["axis_ratio"] = run.joint.axis_ratio;
  out["frames"] = run.joint.num_frames;
  out["seconds"] = run.joint.seconds;
  out["axes"] = run.axes;
  out["warnings"] = run.warnings;
  return out;
}

}  // namespace

void bind_files(py::module_& module) {
  module.attr("__version__") = run::version();
  module.def("load_plugin", run::load_plugin);
  module.def("draw_lines", draw_lines);
  module.def("verify", verify);
  module.def("make_human", make_human);
  module.def("make_heiman", make_heiman);
  module.def("find_joint", find_joint);
  module.def("import_motion", import_motion);
  module.def("elements_json", [] { return io::elements_text(mechanism::registry()); });
  module.def("saved_command", [](const std::string& folder) { return run::saved_command(folder); });
  module.def("is_problem", [](const std::string& file) { return io::is_problem_file(file); });
  module.def("compare_runs", [](const std::vector<std::string>& folders) {
    return attended([&] { return run::make_report({folders.begin(), folders.end()}); });
  });
}

}  // namespace parfait::python
