#include "two_engines.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "parfait/integrate/driver/integrator.h"

namespace parfait::testing_support {

TwoEngines::TwoEngines(const mechanism::Description& description)
    : joints_(tree::build(description)), natural_(mbs::build(description)) {
  for (const char* rate : {"", "v"}) {
    for (const auto& body : description.bodies) {
      for (const char* vector : {".origin.", ".e1.", ".e2.", ".e3."}) {
        for (const char* c : {"x", "y", "z"}) coordinates_.push_back(body.id + vector + rate + c);
      }
    }
  }
  const auto states = joints_->state_names();
  coordinates_.insert(coordinates_.end(), states.end() - joints_->sizes().ne, states.end());
  for (const auto& info : joints_->parameters()) p_.push_back(info.initial);
}

std::vector<double> TwoEngines::start() const {
  const auto ws = joints_->make_workspace(0);
  std::vector<double> y(joints_->sizes().ny());
  joints_->start(*ws, y, {});
  return consistent(0, y);
}

std::vector<double> TwoEngines::consistent(double t, std::vector<double> y) const {
  const auto ws = joints_->make_workspace(0);
  joints_->project(*ws, t, y, dynamics::Norm::kMass, 1e-13);
  return y;
}

std::vector<double> TwoEngines::natural_state(double t, const std::vector<double>& y) {
  const auto ws = joints_->make_workspace(0);
  const auto observer = joints_->make_observer(coordinates_);
  std::vector<double> out(coordinates_.size());
  dynamics::Point at;
  at.t = t;
  at.y = y;
  joints_->observe(*ws, *observer, at, out);
  return out;
}

math::Directions TwoEngines::natural_directions(double t, const std::vector<double>& y,
                                                const math::Directions& dy,
                                                const math::Directions& dp) {
  const auto ws = joints_->make_workspace(dy.count());
  joints_->bind_directions(*ws, dp);
  const auto observer = joints_->make_observer(coordinates_);
  std::vector<double> values(coordinates_.size());
  dynamics::Point at;
  at.t = t;
  at.y = y;
  joints_->observe(*ws, *observer, at, values);
  math::Directions out(static_cast<int>(values.size()), dy.count());
  dynamics::PointDirections d;
  d.dy = &dy;
  joints_->observe_directions(*ws, *observer, d, out);
  return out;
}

TwoEngines::Observed TwoEngines::observe(const std::vector<std::string>& names, double t,
                                         const std::vector<double>& y) {
  Observed out;
  const auto look = [&](const dynamics::System& system, const std::vector<double>& state,
                        std::vector<double>& values) {
    const auto ws = system.make_workspace(0);
    const auto observer = system.make_observer(names);
    values.resize(names.size());
    dynamics::Point at;
    at.t = t;
    at.y = state;
    const auto status = system.observe(*ws, *observer, at, values);
    if (status != dynamics::Status::kOk) out.status = status;
  };
  look(*joints_, y, out.joints);
  look(*natural_, natural_state(t, y), out.natural);
  return out;
}

namespace {

std::string kind_of(const std::string& name) {
  if (name.find(".reaction.t") != std::string::npos) return "moment";
  if (name.find(".reaction.") != std::string::npos) return "reaction";
  const std::string last = name.substr(name.rfind('.') + 1);
  if (last == "ax" || last == "ay" || last == "az") return "acceleration";
  if (last == "vx" || last == "vy" || last == "vz" || last == "wx" || last == "wy" ||
      last == "wz" || last == "rate") {
    return "velocity";
  }
  if (last == "kinetic" || last == "potential" || last == "total") return "energy";
  return "other";
}

bool is_angle(const std::string& name) {
  return name.find(".angle") != std::string::npos;
}

/// Ids of joints and constraints whose reactions redundant rows leave open.
std::set<std::string> without_unique_reactions(const mechanism::MechanicalSystem& system, double t,
                                               const std::vector<double>& y) {
  const auto ws = system.make_workspace(0);
  std::vector<double> dydt(y.size());
  dynamics::Point at;
  at.t = t;
  at.y = y;
  system.evaluate(*ws, at, dydt, {});
  const auto ids = system.joints_in_loops_of(system.partition(*ws).dropped);
  return {ids.begin(), ids.end()};
}

/// What accelerations move by, relative to `size`, when the state moves by 1e-15.
double rounding_of_accelerations(TwoEngines& engines, const std::vector<std::string>& all, double t,
                                 const std::vector<double>& y, double size) {
  std::vector<std::string> names;
  for (const auto& name : all) {
    if (kind_of(name) == "acceleration") names.push_back(name);
  }
  const auto here = engines.observe(names, t, y);
  double most = 0;
  for (int i = 0; i < 4; ++i) {
    auto beside = y;
    for (std::size_t k = 0; k < y.size(); ++k) {
      beside[k] += 1e-15 * std::max(1.0, std::abs(y[k])) * std::sin(17.0 * i + 3.1 * k);
    }
    const auto there = engines.observe(names, t, engines.consistent(t, beside));
    for (std::size_t j = 0; j < names.size(); ++j) {
      most = std::max({most, std::abs(there.joints[j] - here.joints[j]) / size,
                       std::abs(there.natural[j] - here.natural[j]) / size});
    }
  }
  return most;
}

}  // namespace

Difference largest_difference(TwoEngines& engines, double t, const std::vector<double>& y) {
  auto open = without_unique_reactions(engines.joints(), t, y);
  open.merge(without_unique_reactions(engines.natural(), t, engines.natural_state(t, y)));
  std::vector<std::string> names;
  for (const auto& name : engines.joints().quantity_names()) {
    const auto reaction = name.find(".reaction.");
    // Drives supply what their reactions do.
    if (!open.empty() && name == "power.supplied") continue;
    if (reaction == std::string::npos || !open.contains(name.substr(0, reaction))) {
      names.push_back(name);
    }
  }
  Difference worst;
  if (engines.natural().quantity_names().size() != engines.joints().quantity_names().size()) {
    return {1e9, "the engines do not have the same quantities", 0};
  }
  const auto observed = engines.observe(names, t, y);
  if (observed.status != dynamics::Status::kOk) return {1e9, dynamics::text(observed.status), 0};
  std::map<std::string, double> largest;
  for (std::size_t i = 0; i < names.size(); ++i) {
    double& size = largest.try_emplace(kind_of(names[i]), 1.0).first->second;
    size = std::max(size, std::abs(observed.natural[i]));
  }
  // A moment is known as well as the forces that make it.
  largest["moment"] = std::max(largest["moment"], largest["reaction"]);
  for (std::size_t i = 0; i < names.size(); ++i) {
    double difference = std::abs(observed.joints[i] - observed.natural[i]);
    if (is_angle(names[i])) {
      difference = std::abs(std::remainder(difference, 2 * 3.14159265358979323846));
    }
    const std::string kind = kind_of(names[i]);
    difference /= largest[kind];
    if (kind == "acceleration" && !(difference <= worst.acceleration)) {
      worst.acceleration = difference;
    }
    if (difference <= worst.value || std::isnan(worst.value)) continue;  // a NaN stays
    worst.value = difference;
    worst.name = names[i];
  }
  if (worst.acceleration >= Difference::kSameAcceleration) {
    worst.rounding = rounding_of_accelerations(engines, names, t, y, largest["acceleration"]);
  }
  return worst;
}

namespace {

struct Run {
  std::vector<double> values;                ///< at all times
  std::vector<math::Directions> directions;  ///< likewise
  std::vector<double> events, y;
  integrate::Result result;
};

/// Where a run starts.
struct Start {
  const dynamics::System& system;
  std::vector<double> y;
  math::Directions dy, dp;
};

Run run(const Start& start, const std::vector<std::string>& names, const std::vector<double>& times,
        double rtol) {
  Run out;
  const dynamics::System& system = start.system;
  const int count = start.dy.count();
  const auto ws = system.make_workspace(count);
  std::vector<double> p;
  for (const auto& info : system.parameters()) p.push_back(info.initial);
  system.bind(*ws, p);
  if (count > 0) system.bind_directions(*ws, start.dp);
  integrate::State state;
  state.y = start.y;
  if (count > 0) state.W = start.dy;
  integrate::Options options;
  options.rtol = rtol;
  options.atol = rtol / 10;
  // Where bodies are closed many times over, 1e-12 is what rounding leaves in natural coordinates.
  options.projection_tolerance = 1e-11;
  options.max_steps = 20000;  // more are those of a mechanism that comes to its own end
  const auto observer = system.make_observer(names);
  std::vector<double> values(names.size());
  for (const double t : times) {
    out.result = integrate::Integrator(system, *ws, options).run(state, t);
    for (const auto& event : out.result.events) {
      // A switching function that begins at zero (fibres at rest) passes it at once or not at all,
      // as rounding decides.
      if (event.t > 1e-9) out.events.push_back(event.t);
    }
    if (!out.result.finished()) return out;
    dynamics::Point at;
    at.t = state.t;
    at.y = state.y;
    at.mode = state.mode;
    system.observe(*ws, *observer, at, values);
    out.values.insert(out.values.end(), values.begin(), values.end());
    if (count == 0) continue;
    dynamics::PointDirections d;
    d.dy = &state.W;
    out.directions.emplace_back(observer->size(), count);
    system.observe_directions(*ws, *observer, d, out.directions.back());
  }
  out.y = state.y;
  return out;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return 1e9;
  double worst = 0, size = 1;
  for (const double x : b) size = std::max(size, std::abs(x));
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]) / size;
    if (!(d <= worst)) worst = d;
  }
  return worst;
}

/// Column by column, relative to the largest of the column or 1.
double difference(const std::vector<math::Directions>& a, const std::vector<math::Directions>& b) {
  double worst = 0;
  for (std::size_t m = 0; m < a.size(); ++m) {
    for (int k = 0; k < a[m].count(); ++k) {
      double size = 1;
      for (int i = 0; i < a[m].rows(); ++i) size = std::max(size, std::abs(b[m](i, k)));
      for (int i = 0; i < a[m].rows(); ++i) {
        const double d = std::abs(a[m](i, k) - b[m](i, k)) / size;
        if (!(d <= worst)) worst = d;
      }
    }
  }
  return worst;
}

/// Whether the mechanism still closes beside its parameters. A length in a loop with redundant rows
/// may be one that cannot change alone: then there is no derivative with respect to it.
bool closes_beside(const Start& start, std::vector<double> p, std::size_t i) {
  constexpr double kChange = 1e-6, kTolerance = 1e-9;
  const auto ws = start.system.make_workspace(0);
  p[i] += kChange;
  start.system.bind(*ws, p);
  std::vector<double> y = start.y;
  const auto report = start.system.project(*ws, 0, y, dynamics::Norm::kMass, kTolerance);
  return report.status == dynamics::Status::kOk;
}

/// How long both can be followed, into out.until.
void find_end(const Start& joints, const Start& natural, double until, MotionDifference& out) {
  const Run a = run({joints.system, joints.y, {}, {}}, {}, {until}, 1e-11);
  const Run b = run({natural.system, natural.y, {}, {}}, {}, {until}, 1e-11);
  out.until = until;
  if (a.result.finished() && b.result.finished()) return;
  const bool chatters = a.result.outcome == integrate::Outcome::kChattering;
  const bool both = !a.result.finished() && !b.result.finished() &&
                    chatters == (b.result.outcome == integrate::Outcome::kChattering);
  if (!both || std::abs(a.result.t - b.result.t) > 1e-4) {
    out.message =
        "joint coordinates: " + a.result.message() + ", natural coordinates: " + b.result.message();
    return;
  }
  out.ending = a.result.message();
  // Bounces that accumulate: in the middle between two of the first.
  out.until = 0.9 * a.result.t;
  if (chatters) {
    const std::size_t i = std::min<std::size_t>(3, a.events.size() / 2);
    out.until = (a.events[i] + a.events[i + 1]) / 2;
  }
}

}  // namespace

bool MotionDifference::is_same() const {
  return message.empty() && end.is_same() && motion < std::max(1e-9, 20 * own) &&
         sensitivity < std::max(1e-8, 20 * own_sensitivity) &&
         event_times < std::max(1e-9, 20 * own_event_times);
}

MotionDifference compare_motion(const mechanism::Description& description, double until,
                                bool with_sensitivities) {
  MotionDifference out;
  TwoEngines engines(description);
  const auto& sizes = engines.joints().sizes();
  const int np = sizes.np, count = with_sensitivities ? np + std::min(2, sizes.nv) : 0;
  Start joints{engines.joints(), engines.start(), {}, {}};
  math::Directions& dy = joints.dy;
  math::Directions& dp = joints.dp;
  dp.resize(np, count);
  dy.resize(sizes.ny(), count);
  const auto ws = engines.joints().make_workspace(std::max(count, 1));
  if (with_sensitivities) {
    for (int i = 0; i < np; ++i) dp(i, i) = 1;
    engines.joints().bind_directions(*ws, dp);
    engines.joints().start_directions(*ws, dy);
    for (int i = np; i < count; ++i) dy(sizes.nq + (i - np), i) = 1;
  }
  engines.joints().project(*ws, 0, joints.y, dynamics::Norm::kMass, 1e-13);
  if (with_sensitivities) engines.joints().project_directions(*ws, dy);
  Start natural{engines.natural(), engines.natural_state(0, joints.y), {}, dp};
  if (with_sensitivities) natural.dy = engines.natural_directions(0, joints.y, dy, dp);
  for (int i = 0; i < np && with_sensitivities; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool in_joints = closes_beside(joints, engines.parameters(), k);
    const bool in_natural = closes_beside(natural, engines.parameters(), k);
    const std::string id = engines.joints().parameters()[k].id;
    if (in_joints != in_natural) {
      out.message = "with another " + id + " the mechanism closes in one of the engines only";
      return out;
    }
    if (in_joints) continue;
    out.without_sensitivity.push_back(id);
    for (Start* start : {&joints, &natural}) {
      for (int row = 0; row < start->dy.rows(); ++row) start->dy(row, i) = 0;
      start->dp(i, i) = 0;
    }
  }
  find_end(joints, natural, until, out);
  if (!out.message.empty()) return out;
  const double T = out.until;
  const std::vector<double> times = {T / 4, T / 2, 3 * T / 4, T};
  const auto& names = engines.coordinates();
  const Run a = run(joints, names, times, 1e-11), b = run(natural, names, times, 1e-11),
            c = run(natural, names, times, 1e-12), d = run(joints, names, times, 1e-12);
  for (const Run* each : {&a, &b, &c, &d}) {
    if (each->result.finished()) continue;
    out.message = (each == &a || each == &d ? "joint coordinates: " : "natural coordinates: ") +
                  each->result.message();
    return out;
  }
  out.motion = difference(a.values, b.values);
  out.own = std::max(difference(b.values, c.values), difference(a.values, d.values));
  out.event_times = difference(a.events, b.events);
  out.own_event_times = std::max(difference(b.events, c.events), difference(a.events, d.events));
  out.num_events = static_cast<int>(a.events.size());
  out.sensitivity = difference(a.directions, b.directions);
  out.own_sensitivity =
      std::max(difference(b.directions, c.directions), difference(a.directions, d.directions));
  out.end = largest_difference(engines, T, engines.consistent(T, a.y));
  return out;
}

}  // namespace parfait::testing_support
