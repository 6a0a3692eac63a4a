#include "parfait/run/dynamics/inverse_dynamics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/io/motion_files/axes_units.h"
#include "parfait/io/motion_files/coordinate_motion.h"
#include "parfait/io/motion_files/external_loads.h"
#include "parfait/io/motion_files/motion_file.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/csv.h"
#include "parfait/mechanism/checks/check_description.h"
#include "parfait/motion/dynamics/inverse_dynamics.h"
#include "parfait/motion/dynamics/plate_assignment.h"
#include "parfait/report/pages/moments_report.h"
#include "parfait/run/job/job.h"
#include "parfait/run/job/last_files.h"
#include "parfait/run/job/origin.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/stopwatch.h"
#include "parfait/run/job/version.h"

namespace parfait::run {
namespace inverse_dynamics {
namespace {

using mechanism::Coordinate;
using tree::MechanismTree;

/// N: the foot is on the ground.
constexpr double kContact = 20;
/// s: shorter contacts and gaps are noise.
constexpr double kShortest = 0.1;

/// The bodies that stand on force plates: as asked for, or those called calcn… or …foot….
std::vector<int> feet_of(const InverseDynamicsRequest& request,
                         const mechanism::Description& description,
                         const MechanismTree& mechanism) {
  std::vector<std::string> ids, wanted;
  for (const auto& body : description.bodies) {
    ids.push_back(body.id);
    std::string small = body.id;
    std::transform(small.begin(), small.end(), small.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const bool is_foot = small.starts_with("calcn") || small.find("foot") != std::string::npos;
    if (request.feet.empty() && is_foot) wanted.push_back(body.id);
  }
  for (std::size_t at = 0; at < request.feet.size();) {
    const auto comma = std::min(request.feet.find(',', at), request.feet.size());
    wanted.push_back(request.feet.substr(at, comma - at));
    at = comma + 1;
  }
  if (wanted.empty()) {
    throw base::InputError(
        "--feet: no body is called calcn or foot; say which stand on the plates.");
  }
  std::vector<int> out;
  for (const auto& id : wanted) {
    const auto found = std::find(ids.begin(), ids.end(), id);
    if (found == ids.end()) {
      throw base::InputError(fmt::format("--feet: \"{}\" is not a body.{} Bodies: {}.", id,
                                         base::suggestion(id, ids), base::listing(ids)));
    }
    out.push_back(mechanism.tree_body(static_cast<int>(found - ids.begin())));
  }
  return out;
}

std::vector<motion::PlateRecord> plates_of(const InverseDynamicsRequest& request,
                                           std::vector<std::string>& warnings) {
  auto file = io::read_motion_file(request.loads);
  for (const auto& warning : file.warnings()) warnings.push_back(warning.text());
  if (!file.trial || file.trial->plates.empty()) {
    throw base::InputError({request.loads}, "the file has no force plates.");
  }
  io::Trial& trial = *file.trial;
  io::to_metres(trial, request.axes.empty() ? io::AxisMap{} : io::parse_axes(request.axes));
  std::vector<motion::PlateRecord> out;
  for (std::size_t i = 0; i < trial.plates.size(); ++i) {
    const auto& wrenches = trial.plates[i].wrenches;
    if (wrenches.size() == 0) continue;
    motion::PlateRecord plate;
    plate.name = fmt::format("plate{}", i + 1);
    for (std::size_t s = 0; s < wrenches.size(); ++s) {
      const auto at = [&](const std::vector<double>& v) {
        return math::Vec3<double>{v[3 * s], v[3 * s + 1], v[3 * s + 2]};
      };
      plate.time.push_back(trial.analog_time(s));
      plate.force.push_back(at(wrenches.force));
      plate.moment.push_back(at(wrenches.moment));
      plate.pressure.push_back(at(wrenches.pressure));
    }
    out.push_back(std::move(plate));
  }
  return out;
}

/// A coordinate with a place in the tree.
struct Column {
  std::string name;
  Coordinate::Kind kind;
  int v;
};

std::vector<Column> columns_of(const MechanismTree& mechanism) {
  std::vector<Column> out;
  for (const auto& c : mechanism.coordinates()) {
    if (c.v >= 0) out.push_back({c.id, c.kind, c.v});
  }
  return out;
}

using Rows = std::vector<std::vector<double>>;

io::CsvTable table_of(const std::vector<double>& time, const std::vector<Column>& columns,
                      const Rows& rows, double factor) {
  io::CsvTable table;
  table.header.emplace_back("t");
  table.columns.push_back(time);
  for (const Column& column : columns) {
    table.header.push_back(column.name);
    std::vector<double> values;
    values.reserve(rows.size());
    for (const auto& row : rows) values.push_back(factor * row[column.v]);
    table.columns.push_back(std::move(values));
  }
  return table;
}

/// As OpenSim's inverse dynamics names its columns.
std::string storage_of(const motion::InverseDynamics& found, const std::vector<Column>& columns) {
  io::MotionTable table;
  table.format = "STO";
  table.name = "Inverse Dynamics";
  table.version = 1;
  table.angles = io::AngleUnit::kRadians;
  table.angles_stated = true;
  table.time = found.time;
  for (const Column& column : columns) {
    table.columns.push_back(column.name +
                            (column.kind == Coordinate::Kind::kTranslation ? "_force" : "_moment"));
    std::vector<double> values;
    values.reserve(found.tau.size());
    for (const auto& row : found.tau) values.push_back(row[column.v]);
    table.values.push_back(std::move(values));
  }
  return io::storage_text(table);
}

/// Times at which a load begins to act, after it has been gone for a while.
std::vector<double> contacts_of(const motion::ExternalLoad& load) {
  std::vector<double> out;
  std::optional<double> gone_since, on_since;
  bool counted = true;  // a contact that is there at the start has no beginning
  for (std::size_t i = 0; i < load.force.size(); ++i) {
    const double size = std::sqrt(dot(load.force[i], load.force[i]));
    const double t = load.time[i];
    if (size < kContact) {
      if (!gone_since) gone_since = t;
      on_since.reset();
      continue;
    }
    if (!on_since) {
      on_since = t;
      if (gone_since && t - *gone_since >= kShortest) counted = false;
      gone_since.reset();
    }
    if (!counted && t - *on_since >= kShortest) {
      out.push_back(*on_since);
      counted = true;
    }
  }
  return out;
}

/// Every cycle from 0 to 100 %, forces per kg.
io::CsvTable cycle_table(const std::vector<result::InverseDynamics::Cycle>& cycles,
                         const motion::InverseDynamics& found, const std::vector<Column>& columns) {
  io::CsvTable table;
  table.header = {"cycle", "percent"};
  table.columns.resize(2 + columns.size());
  for (const Column& column : columns) table.header.push_back(column.name);
  for (std::size_t c = 0; c < cycles.size(); ++c) {
    for (int percent = 0; percent <= 100; ++percent) {
      const double t = cycles[c].start + (cycles[c].end - cycles[c].start) * percent / 100;
      const auto after = std::upper_bound(found.time.begin(), found.time.end(), t);
      const auto i = std::clamp<std::size_t>(static_cast<std::size_t>(after - found.time.begin()),
                                             1, found.time.size() - 1) -
                     1;
      const double u = (t - found.time[i]) / (found.time[i + 1] - found.time[i]);
      table.columns[0].push_back(static_cast<double>(c + 1));
      table.columns[1].push_back(percent);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const int v = columns[k].v;
        table.columns[2 + k].push_back(((1 - u) * found.tau[i][v] + u * found.tau[i + 1][v]) /
                                       found.mass);
      }
    }
  }
  return table;
}

std::vector<result::InverseDynamics::Coordinate> summary_of(const motion::InverseDynamics& found,
                                                            const std::vector<Column>& columns) {
  std::vector<result::InverseDynamics::Coordinate> out;
  for (const Column& column : columns) {
    result::InverseDynamics::Coordinate c;
    c.name = column.name;
    c.unit = column.kind == Coordinate::Kind::kTranslation ? "N" : "N m";
    if (!found.tau.empty()) {
      c.least = c.largest = found.tau.front()[column.v];
      c.least_power = c.largest_power = found.power.front()[column.v];
    }
    double sum = 0;
    for (std::size_t i = 0; i < found.tau.size(); ++i) {
      const double tau = found.tau[i][column.v], power = found.power[i][column.v];
      sum += tau * tau;
      c.least = std::min(c.least, tau);
      c.largest = std::max(c.largest, tau);
      c.least_power = std::min(c.least_power, power);
      c.largest_power = std::max(c.largest_power, power);
    }
    if (!found.tau.empty()) c.rms = std::sqrt(sum / static_cast<double>(found.tau.size()));
    out.push_back(c);
  }
  return out;
}

/// Of a motion that is stopped so many samples are told: more would take too long to write.
constexpr std::size_t kWrittenAtOnce = 5000;

void keep_first(std::size_t count, motion::InverseDynamics& found) {
  if (found.time.size() <= count) return;
  found.time.resize(count);
  for (auto* rows : {&found.q, &found.v, &found.vdot, &found.tau, &found.power}) {
    rows->resize(count);
  }
}

/// What was found in numbers and tables, in place of what was said before.
void describe(const MechanismTree& mechanism, const std::vector<motion::ExternalLoad>& loads,
              const motion::InverseDynamics& found, InverseDynamicsRun& run) {
  auto& result = run.result;
  run.tables.clear();
  result.cycles.clear();
  result.files.clear();
  const auto columns = columns_of(mechanism);
  result.mass = found.mass;
  result.rate = found.rate;
  result.rows = found.time.size();
  if (!found.time.empty()) {
    result.start = found.time.front();
    result.end = found.time.back();
  }
  result.coordinates = summary_of(found, columns);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const auto contacts = contacts_of(loads[i]);
    for (std::size_t k = 0; k + 1 < contacts.size(); ++k) {
      if (contacts[k] < result.start || contacts[k + 1] > result.end) continue;
      result.cycles.push_back({loads[i].name, mechanism.tree().bodies[loads[i].body].name,
                               contacts[k], contacts[k + 1]});
    }
  }
  const auto add = [&](const char* name, const Rows& rows, double factor) {
    run.tables.emplace_back(name, io::csv_text(table_of(found.time, columns, rows, factor)));
  };
  add("moments.csv", found.tau, 1);
  add("powers.csv", found.power, 1);
  add("motion.csv", found.q, 1);
  if (found.mass > 0) add("moments_per_kg.csv", found.tau, 1 / found.mass);
  if (!result.cycles.empty() && found.mass > 0) {
    run.tables.emplace_back("cycles_per_kg.csv",
                            io::csv_text(cycle_table(result.cycles, found, columns)));
  }
  run.tables.emplace_back("moments.sto", storage_of(found, columns));
  for (const auto& [name, text] : run.tables) result.files.push_back(name);
}

InverseDynamicsRun find(const InverseDynamicsRequest& request, const Callbacks& callbacks,
                        Job& job) {
  Stopwatch watch;
  if (!request.out.empty()) check_replaceable(request.out);
  if (!(request.filter >= 0)) {
    throw base::InputError(fmt::format("--filter {:g}: must be > 0 Hz.", request.filter));
  }
  const auto model = io::read_any_model(request.model);
  const auto* description = std::get_if<mechanism::Description>(&model);
  if (!description) {
    throw base::InputError({request.model}, "inverse dynamics needs a mechanism.");
  }
  InverseDynamicsRun run;
  auto& result = run.result;
  result.verdict = {version(), "done", false, "done", mechanism::check(*description)};
  result.verdict.origin = {request.arguments, hashed_files({{"model", request.model},
                                                            {"motion", request.motion},
                                                            {"loads", request.loads}})};
  // Locked coordinates have forces, too: what locks them.
  const tree::MechanismTree mechanism(*description, tree::MechanismTree::Locked::kFree);
  if (mechanism.coordinates().empty()) {
    throw base::InputError(
        {request.model}, "inverse dynamics needs coordinates with names: joints of the key Axes.");
  }
  if (!mechanism.closures().empty() || !description->constraints.empty()) {
    throw base::InputError({request.model},
                           "inverse dynamics is not unique where joints close loops.");
  }
  for (const auto& force : description->forces) {
    if (force.key == "Gravitation") continue;
    result.verdict.warnings.push_back(
        fmt::format("force \"{}\" is part of what the moments do: it is not taken off.", force.id));
  }
  const auto table = io::read_storage(request.motion);
  for (const auto& warning : table.warnings) result.verdict.warnings.push_back(warning.text());
  const auto motion = io::coordinate_motion(mechanism, table);
  for (const auto& id : motion.missing) {
    result.verdict.warnings.push_back(fmt::format(
        "{}: no column for coordinate \"{}\", which keeps its initial value.", table.file, id));
  }
  std::vector<motion::ExternalLoad> loads;
  const bool has_plates = std::filesystem::path(request.loads).extension() == ".c3d";
  if (has_plates) {
    const auto plates = plates_of(request, result.verdict.warnings);
    const auto feet = feet_of(request, *description, mechanism);
    const auto assigned =
        motion::assign_plates(mechanism, motion.time, motion.values, plates, feet);
    loads = assigned.loads;
    for (const auto& contact : assigned.contacts) {
      const auto& foot = mechanism.tree().bodies[feet[contact.foot]].name;
      const bool is_doubtful =
          contact.distance > 0.3 || contact.other_distance < 1.5 * contact.distance;
      result.verdict.warnings.push_back(fmt::format(
          "{}: {:g} to {:g} s: given to \"{}\", {:.2g} m away{}.", contact.plate, contact.start,
          contact.end, foot, contact.distance,
          is_doubtful
              ? fmt::format(" (doubtful: the next is {:.2g} m away)", contact.other_distance)
              : ""));
    }
    if (loads.empty()) result.verdict.warnings.push_back("no foot stood on a plate.");
  } else if (!request.loads.empty()) {
    const io::ExternalLoadsFile loads_file = io::read_external_loads(request.loads);
    for (const auto& text : loads_file.left_out) result.verdict.warnings.push_back(text);
    if (loads_file.data_file.empty()) {
      throw base::InputError({request.loads}, "<ExternalLoads> has no <datafile>.");
    }
    const auto path = std::filesystem::path(request.loads).parent_path() / loads_file.data_file;
    const auto load_table = io::read_storage(path);
    for (const auto& warning : load_table.warnings) {
      result.verdict.warnings.push_back(warning.text());
    }
    loads = io::external_loads(loads_file, load_table, *description, mechanism);
    for (const auto& load : loads) {
      const double from = request.from.value_or(motion.time.front());
      const double until = request.until.value_or(motion.time.back());
      if (load.time.front() <= from && load.time.back() >= until) continue;
      result.verdict.warnings.push_back(
          fmt::format("load \"{}\" is known from {:g} to {:g} s only; it is zero elsewhere.",
                      load.name, load.time.front(), load.time.back()));
    }
  }
  run.timing.add("read", watch.lap());
  job.everything_is_read();
  if (callbacks.on_progress) job.tell([&] { callbacks.on_progress(0.5, "moments"); });

  motion::InverseDynamicsOptions options;
  options.filter = request.filter;
  options.stop = &job.stop();
  options.has_range = request.from || request.until;
  options.from = request.from.value_or(motion.time.front());
  options.until = request.until.value_or(motion.time.back());
  auto found = motion::inverse_dynamics(mechanism, motion.time, motion.values, loads, options);
  run.timing.add("solve", watch.lap());
  result.model = request.model;
  result.motion = request.motion;
  result.loads = request.loads;
  result.filter = request.filter;
  if (base::unless_stopped(job.stop(), [&] { describe(mechanism, loads, found, run); })) {
    run.timing.add("tables", watch.lap());
    return run;
  }
  keep_first(kWrittenAtOnce, found);
  describe(mechanism, loads, found, run);
  result.verdict.status = result.verdict.message = "interrupted";
  result.verdict.partial = true;
  return run;
}

}  // namespace
}  // namespace inverse_dynamics

InverseDynamicsRun find_moments(const InverseDynamicsRequest& request, const Callbacks& callbacks) {
  Job job(callbacks, 1);
  InverseDynamicsRun run;
  job.run([&] { run = inverse_dynamics::find(request, callbacks, job); });
  return run;
}

std::string report_page(const InverseDynamicsRun& run) {
  const auto table = [&](const std::string& wanted) {
    for (const auto& [name, text] : run.tables) {
      if (name == wanted) return io::read_table_text(text, name);
    }
    return result::Table{};
  };
  return report::moments_report(run.result, table("moments.csv"), table("powers.csv"),
                                report::Liveness::kLive);
}

std::filesystem::path save(InverseDynamicsRun& run, const std::filesystem::path& target) {
  return save_with_report(run, target);
}

}  // namespace parfait::run
