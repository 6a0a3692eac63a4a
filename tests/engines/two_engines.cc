#include "two_engines.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "parfait/integrate/driver/integrator.h"

namespace parfait::testing_support {

TwoEngines::TwoEngines(const mechanism::Description& description, int /*num_directions*/)
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

}  // namespace

Difference largest_difference(TwoEngines& engines, double t, const std::vector<double>& y,
                              bool with_reactions) {
  std::vector<std::string> names;
  for (const auto& name : engines.joints().quantity_names()) {
    if (with_reactions || name.find(".reaction.") == std::string::npos) names.push_back(name);
  }
  Difference worst;
  // Powers supplied from outside and moment arms are known in natural coordinates only.
  const auto known = engines.natural().quantity_names();
  const auto only_natural = std::ranges::count_if(known, [](const std::string& name) {
    return name == "power.supplied" || name.find(".moment_arm.") != std::string::npos;
  });
  if (known.size() !=
      engines.joints().quantity_names().size() + static_cast<std::size_t>(only_natural)) {
    return {1e9, "the engines do not have the same quantities"};
  }
  const auto observed = engines.observe(names, t, y);
  if (observed.status != dynamics::Status::kOk) return {1e9, dynamics::text(observed.status)};
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
    difference /= largest[kind_of(names[i])];
    if (!(difference <= worst.value)) worst = {difference, names[i]};
  }
  return worst;
}

namespace {

struct Run {
  std::vector<double> values;
  math::Directions directions;
  std::vector<double> events;
  std::string message;
};

Run run(const dynamics::System& system, std::vector<double> y, const math::Directions& dy,
        const math::Directions& dp, const std::vector<std::string>& names, double until,
        double rtol) {
  Run out;
  const int count = dy.count();
  const auto ws = system.make_workspace(count);
  std::vector<double> p;
  for (const auto& info : system.parameters()) p.push_back(info.initial);
  system.bind(*ws, p);
  if (count > 0) system.bind_directions(*ws, dp);
  integrate::State state;
  state.y = std::move(y);
  if (count > 0) state.W = dy;
  integrate::Options options;
  options.rtol = rtol;
  options.atol = rtol / 10;
  const auto result = integrate::Integrator(system, *ws, options).run(state, until);
  if (!result.finished()) {
    out.message = result.message();
    return out;
  }
  for (const auto& event : result.events) out.events.push_back(event.t);
  const auto observer = system.make_observer(names);
  dynamics::Point at;
  at.t = state.t;
  at.y = state.y;
  at.mode = state.mode;
  out.values.resize(names.size());
  system.observe(*ws, *observer, at, out.values);
  if (count > 0) {
    out.directions.resize(observer->size(), count);
    dynamics::PointDirections d;
    d.dy = &state.W;
    system.observe_directions(*ws, *observer, d, out.directions);
  }
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
double difference(const math::Directions& a, const math::Directions& b) {
  double worst = 0;
  for (int k = 0; k < a.count(); ++k) {
    double size = 1;
    for (int i = 0; i < a.rows(); ++i) size = std::max(size, std::abs(b(i, k)));
    for (int i = 0; i < a.rows(); ++i) {
      const double d = std::abs(a(i, k) - b(i, k)) / size;
      if (!(d <= worst)) worst = d;
    }
  }
  return worst;
}

}  // namespace

MotionDifference compare_motion(const mechanism::Description& description, double until,
                                bool with_sensitivities) {
  MotionDifference out;
  TwoEngines engines(description);
  const auto& sizes = engines.joints().sizes();
  std::vector<double> y = engines.joints().initial_state();
  const int np = sizes.np, count = with_sensitivities ? np + std::min(2, sizes.nv) : 0;
  math::Directions dp(np, count), dy(sizes.ny(), count);
  const auto ws = engines.joints().make_workspace(std::max(count, 1));
  if (with_sensitivities) {
    for (int i = 0; i < np; ++i) dp(i, i) = 1;
    engines.joints().bind_directions(*ws, dp);
    engines.joints().start_directions(*ws, dy);
    for (int i = np; i < count; ++i) dy(sizes.nq + (i - np), i) = 1;
  }
  std::vector<double> start = y;
  engines.joints().project(*ws, 0, start, dynamics::Norm::kMass, 1e-13);
  if (with_sensitivities) engines.joints().project_directions(*ws, dy);
  y = start;
  const auto natural = engines.natural_state(0, y);
  const auto dnatural =
      with_sensitivities ? engines.natural_directions(0, y, dy, dp) : math::Directions();
  const auto& names = engines.coordinates();
  const Run a = run(engines.joints(), y, dy, dp, names, until, 1e-11);
  const Run b = run(engines.natural(), natural, dnatural, dp, names, until, 1e-11);
  const Run c = run(engines.natural(), natural, dnatural, dp, names, until, 1e-12);
  for (const Run* each : {&a, &b, &c}) {
    if (!each->message.empty()) {
      out.message = each->message;
      return out;
    }
  }
  out.motion = difference(a.values, b.values);
  out.own = difference(b.values, c.values);
  out.event_times = difference(a.events, b.events);
  out.num_events = static_cast<int>(a.events.size());
  if (with_sensitivities) {
    out.sensitivity = difference(a.directions, b.directions);
    out.own_sensitivity = difference(b.directions, c.directions);
  }
  return out;
}

}  // namespace parfait::testing_support
