#include "targets.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "parfait/base/error.h"
#include "parfait/expr/formula.h"
#include "parfait/io/foreign/lua_model.h"
#include "parfait/io/foreign/osim.h"
#include "parfait/io/foreign/osim_writer.h"
#include "parfait/io/foreign/urdf.h"
#include "parfait/io/model/model_file.h"
#include "parfait/io/motion_files/bvh.h"
#include "parfait/io/motion_files/c3d.h"
#include "parfait/io/motion_files/external_loads.h"
#include "parfait/io/motion_files/motion_table.h"
#include "parfait/io/motion_files/trc.h"
#include "parfait/io/petab/petab.h"
#include "parfait/io/petab/sbml.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/data_table.h"
#include "parfait/io/text/text_file.h"
#include "parfait/io/text/xml_element.h"
#include "parfait/run/fit/fit.h"
#include "parfait/run/simulation/simulation.h"

namespace parfait::fuzz {
namespace {

const std::string kFiles = std::string(PARFAIT_SOURCE_DIR) + "/tests/fuzz/files/";

void require(bool law) {
  if (!law) std::abort();
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// Compiled, evaluated and differentiated: the gradient sweep gives the value, too.
void formula(const std::string& text) {
  expr::Names scope({"t", "x", "y", "k"});
  const expr::Formula f(text, scope, {"f.xml", 1, 1});
  const double slots[] = {0.5, -1.25, 3, 1e-3};
  std::vector<double> scratch(static_cast<std::size_t>(f.scratch_size()));
  std::vector<double> gradient(static_cast<std::size_t>(f.num_used()));
  const double value = f.value(slots, scratch.data());
  require(same(value, f.gradient(slots, scratch.data(), gradient.data())));
}

/// What was read reads back as the same.
void csv(const std::string& text) {
  const auto table = io::read_csv_text(text, "t.csv", {.non_finite = true});
  const auto again = io::read_csv_text(io::csv_text(table), "t.csv", {.non_finite = true});
  require(table.header == again.header && table.columns.size() == again.columns.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    require(std::ranges::equal(table.columns[i], again.columns[i], same));
  }
  io::read_data_table(text, "t.csv", "e");
}

run::Model read_model(const std::string& text) {
  const io::XmlSource source(text, kFiles + "fuzzed.xml");
  return run::make_model(io::read_any_model(source), {}, kFiles + "fuzzed.xml");
}

void model(const std::string& text) {
  read_model(text);
}

/// A model file of ours that says the same.
void write_and_read(const mechanism::Description& description) {
  const auto written = io::model_text(description);
  require(io::model_text(io::read_model_text(written, "m.xml")) == written);
}

/// OpenSim: read, written as ours, written back without changes and with some.
void osim(const std::string& text) {
  if (text.find("<ExternalLoads") != std::string::npos) {
    io::read_external_loads_text(text, "l.xml");
    return;
  }
  const auto description = io::read_osim_text(text, "m.osim");
  write_and_read(description);
  require(io::osim_text(text, "m.osim", description) == text);
  auto changed = description;
  changed.couplings.clear();
  const auto flip = [](mechanism::Description& d) {
    for (auto& joint : d.joints) {
      for (auto& c : joint.motion.coordinates) c.locked = !c.locked;
    }
  };
  flip(changed);
  auto again = io::read_osim_text(io::osim_text(text, "m.osim", changed), "again.osim");
  require(again.couplings.empty());
  flip(again);
  for (std::size_t i = 0; i < description.joints.size(); ++i) {
    require(std::ranges::equal(again.joints[i].motion.coordinates,
                               description.joints[i].motion.coordinates,
                               [](const auto& a, const auto& b) { return a.locked == b.locked; }));
  }
}

void urdf(const std::string& text) {
  write_and_read(io::read_urdf_text(text, "m.urdf"));
  write_and_read(io::read_urdf_text(text, "m.urdf", {.keep_fixed = true, .floating = true}));
}

/// Programs, with little time and memory.
void lua(const std::string& text) {
  io::LuaLimits limits;
  limits.instructions = 200'000;
  limits.bytes = 4U << 20U;
  limits.values = 20'000;
  const auto table = io::run_lua(text, kFiles + "m.lua", kFiles, limits);
  const auto again = io::run_lua(io::lua_text(table), "again.lua", kFiles);
  require(io::lua_text(again) == io::lua_text(table));
  write_and_read(io::read_lua_model_text(io::lua_text(table), "m.lua").description);
}

/// What was written reads back as what is written again; a writer may refuse what its format cannot
/// say.
template <class Read, class Write>
void there_and_back(const std::string& text, Read read, Write write) {
  const auto written = write(read(text, "m"));
  require(write(read(written, "m")) == written);
}

bool same_points(const io::PointSet& a, const io::PointSet& b) {
  const auto name = [](const io::PointLabel& point) { return point.name; };
  return std::ranges::equal(a.points, b.points, {}, name, name) &&
         std::ranges::equal(a.xyz, b.xyz, same) &&
         std::ranges::equal(a.residuals, b.residuals, same) && a.cameras == b.cameras;
}

/// Bytes may differ (parameters keep the order of their groups); what was measured may not.
void c3d(const std::string& text) {
  const auto read = [](const std::string& bytes, const std::string& name) {
    return io::read_c3d_bytes({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                              name);
  };
  const auto once = read(io::c3d_bytes(read(text, "m")), "m");
  const auto twice = read(io::c3d_bytes(once), "m");
  require(once.trial.num_frames == twice.trial.num_frames &&
          same(once.trial.rate, twice.trial.rate));
  require(same_points(once.trial.markers, twice.trial.markers));
  require(same_points(once.trial.outputs, twice.trial.outputs));
  require(once.trial.analog.size() == twice.trial.analog.size());
  for (std::size_t i = 0; i < once.trial.analog.size(); ++i) {
    require(once.trial.analog[i].name == twice.trial.analog[i].name);
  }
}

void trc(const std::string& text) {
  there_and_back(text, io::read_trc_text, io::trc_text);
}

void storage(const std::string& text) {
  there_and_back(text, io::read_storage_text, io::storage_text);
}

void bvh(const std::string& text) {
  there_and_back(text, io::read_bvh_text, io::bvh_text);
  io::bvh_trial(io::read_bvh_text(text, "m"));
}

void meshup(const std::string& text) {
  there_and_back(text, io::read_meshup_text, io::meshup_text);
}

void sbml(const std::string& text) {
  io::read_sbml_text(text, "m.xml");
}

/// The texts between lines "=====": the YAML file and the four tables that it names; the SBML model
/// is that of tests/fuzz/files.
void petab(const std::string& text) {
  static const std::filesystem::path folder = [] {
    std::string name = (std::filesystem::temp_directory_path() / "parfait_fuzz_XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr);
    std::filesystem::copy_file(kFiles + "petab_model.xml", std::filesystem::path(name) / "m.xml");
    std::atexit([] { std::filesystem::remove_all(folder); });
    return std::filesystem::path(name);
  }();
  std::size_t begin = 0;
  for (const char* name :
       {"p.yaml", "parameters.tsv", "conditions.tsv", "observables.tsv", "measurements.tsv"}) {
    const auto end = std::min(text.find("=====\n", begin), text.size());
    io::write_text_file(folder / name, text.substr(begin, end - begin));
    begin = std::min(end + 6, text.size());
  }
  io::read_petab(folder / "p.yaml");
}

void problem(const std::string& text) {
  const auto read = io::read_problem_text(text, kFiles + "fuzzed.xml");
  const auto written = io::problem_text(read);
  require(io::problem_text(io::read_problem_text(written, kFiles + "fuzzed.xml")) == written);
}

/// Results of every command, from files that nobody trusts.
void result(const std::string& text) {
  const auto command = io::result_command(text);
  if (command == "fit") {
    const auto fit = io::read_fit_text(text, "r");
    io::result_text(fit);
  } else if (command == "modes") {
    io::read_modes_text(text, "r");
  } else if (command == "synthesize") {
    io::read_synthesis_text(text, "r");
  } else {
    io::read_simulation_text(text, "r");
  }
}

/// A few steps, so that millions are possible.
constexpr int kMostSteps = 200;

void simulation(const std::string& text) {
  run::SimulationRequest request;
  request.model = read_model(text);
  if (request.model->system->sizes().ny() > 1000) return;
  request.until = std::min(1.0, request.model->simulation.until.value_or(1.0));
  request.step = *request.until / 4;
  request.max_steps = kMostSteps;
  const auto run = run::simulate(request);
  io::result_text(run.result);
}

void fit(const std::string& text) {
  auto read = io::parse_problem_text(text, kFiles + "fuzzed.xml");
  if (read.experiments.size() > 10) return;
  for (const auto& e : read.experiments) {
    if (e.grid.intervals > 20 || e.grid.times.size() > 20 || e.data.num_rows() > 1000) return;
    if (e.system && e.system->sizes().ny() > 100) return;
  }
  read.options.integrator.max_steps = std::min(read.options.integrator.max_steps, kMostSteps);
  run::FitRequest request;
  request.problem = std::move(read);
  request.max_iterations = 2;
  request.threads = 1;
  const auto run = run::fit(request);
  io::result_text(run.result);
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {{"formula", formula},
                                          {"csv", csv},
                                          {"model", model},
                                          {"problem", problem},
                                          {"simulation", simulation},
                                          {"fit", fit},
                                          {"result", result},
                                          {"osim", osim},
                                          {"urdf", urdf},
                                          {"lua", lua},
                                          {"c3d", c3d},
                                          {"trc", trc},
                                          {"storage", storage},
                                          {"bvh", bvh},
                                          {"meshup", meshup},
                                          {"sbml", sbml},
                                          {"petab", petab}};
  return all;
}

const Target* find_target(const std::string& name) {
  for (const auto& target : targets()) {
    if (name == target.name) return &target;
  }
  return nullptr;
}

}  // namespace parfait::fuzz
