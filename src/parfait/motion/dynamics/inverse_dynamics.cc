#include "parfait/motion/dynamics/inverse_dynamics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/base/error.h"
#include "parfait/motion/signals/butterworth.h"
#include "parfait/motion/signals/quintic_spline.h"
#include "parfait/tree/algorithms/algorithms.h"

namespace parfait::motion {
namespace {

/// A load at a time, in the axes it is given in.
struct LoadAt {
  Vec3<double> force{}, point{}, moment{};
  bool acts = false;
};

Vec3<double> between(const std::vector<Vec3<double>>& values, std::size_t i, double u) {
  if (values.empty()) return {};
  return (1 - u) * values[i] + u * values[i + 1];
}

LoadAt load_at(const ExternalLoad& load, double t) {
  LoadAt out;
  if (load.time.size() < 2 || t < load.time.front() || t > load.time.back()) return out;
  const auto after = std::upper_bound(load.time.begin(), load.time.end(), t);
  const auto i =
      std::min(static_cast<std::size_t>(after - load.time.begin()), load.time.size() - 1) - 1;
  const double u = (t - load.time[i]) / (load.time[i + 1] - load.time[i]);
  out.force = between(load.force, i, u);
  out.point = between(load.point, i, u);
  out.moment = between(load.moment, i, u);
  out.acts = true;
  return out;
}

/// Even spacing to a hundredth of a step.
double even_rate(const std::vector<double>& time) {
  const double step = (time.back() - time.front()) / static_cast<double>(time.size() - 1);
  for (std::size_t i = 0; i < time.size(); ++i) {
    const double expected = time.front() + step * static_cast<double>(i);
    if (std::abs(time[i] - expected) <= 0.01 * step) continue;
    throw base::InputError(fmt::format(
        "the filter needs samples at an even rate; sample {} is at t = {:g}, expected {:g}.", i + 1,
        time[i], expected));
  }
  return 1 / step;
}

}  // namespace

InverseDynamics inverse_dynamics(const tree::MechanismTree& mechanism,
                                 const std::vector<double>& time,
                                 const std::vector<std::vector<double>>& values,
                                 const std::vector<ExternalLoad>& loads,
                                 const InverseDynamicsOptions& options) {
  const tree::Tree& tree = mechanism.tree();
  const std::size_t n = time.size();
  if (n < 5) {
    throw base::InputError(fmt::format("inverse dynamics needs at least 5 samples, found {}.", n));
  }
  for (std::size_t i = 1; i < n; ++i) {
    if (time[i] > time[i - 1]) continue;
    throw base::InputError(
        fmt::format("times must ascend, found {:g} after {:g}.", time[i], time[i - 1]));
  }
  if (!tree.quaternions.empty()) {
    throw base::InputError(
        "inverse dynamics needs coordinates with names; this model has bodies that float or turn "
        "freely. Give them joints of the key Axes.");
  }
  const auto stopped = [&] { return options.stop != nullptr && options.stop->load(); };
  InverseDynamics out;
  tree::Workspace ws(tree);
  std::vector<double> q = mechanism.q(), v(tree.nv, 0.0), vdot(tree.nv, 0.0), tau(tree.nv);
  out.mass = tree::center_of_mass(tree, q, v, ws).mass;
  out.rate = static_cast<double>(n - 1) / (time.back() - time.front());

  // What was seen, smooth.
  std::vector<double> spline_time = time;
  std::size_t padding = 0;
  if (options.filter > 0) {
    const double step = 1 / even_rate(time);
    padding = n / 2;
    spline_time.clear();
    for (std::size_t k = padding; k > 0; --k) {
      spline_time.push_back(time.front() - step * static_cast<double>(k));
    }
    spline_time.insert(spline_time.end(), time.begin(), time.end());
    for (std::size_t k = 1; k <= padding; ++k) {
      spline_time.push_back(time.back() + step * static_cast<double>(k));
    }
  }
  std::vector<QuinticSpline> splines;
  std::vector<int> place;  // in q and v
  const auto& coordinates = mechanism.coordinates();
  for (std::size_t c = 0; c < coordinates.size(); ++c) {
    if (stopped()) return out;
    if (coordinates[c].q < 0) continue;
    place.push_back(static_cast<int>(c));
    if (padding == 0) {
      splines.emplace_back(time, values[c]);
    } else {
      const Butterworth3 filter(options.filter, out.rate);
      splines.emplace_back(spline_time, filter_without_delay(values[c], filter, padding));
    }
  }

  std::vector<tree::Force<double>> wrenches(tree.num_bodies());
  const double slack = 1e-6 / out.rate;
  for (const double t : time) {
    if (stopped()) return out;
    if (options.has_range && (t < options.from - slack || t > options.until + slack)) continue;
    for (std::size_t k = 0; k < splines.size(); ++k) {
      const auto& c = coordinates[place[k]];
      const auto value = splines[k](t);
      q[c.q] = value.f;
      v[c.v] = value.d1;
      vdot[c.v] = value.d2;
    }
    std::fill(wrenches.begin(), wrenches.end(), tree::Force<double>{});
    const auto frame = [&](int body) {
      return body < 0 ? tree::Transform<double>{} : tree::body_frame(tree, q, body, ws);
    };
    for (const auto& load : loads) {
      const LoadAt at = load_at(load, t);
      if (!at.acts) continue;
      const auto axes = frame(load.force_in).R;
      const Vec3<double> force = axes * at.force, moment = axes * at.moment;
      const Vec3<double> origin = frame(load.body).p;
      const Vec3<double> point =
          load.point.empty() ? origin : tree::point_in_parent(frame(load.point_in), at.point);
      wrenches[load.body] =
          wrenches[load.body] + tree::Force<double>{moment + cross(point - origin, force), force};
    }
    tree::inverse_dynamics(tree, q, v, vdot, wrenches, ws, tau);
    out.time.push_back(t);
    out.q.push_back(q);
    out.v.push_back(v);
    out.vdot.push_back(vdot);
    out.tau.push_back(tau);
    std::vector<double> power(tau.size());
    for (std::size_t k = 0; k < tau.size(); ++k) power[k] = tau[k] * v[k];
    out.power.push_back(power);
  }
  if (out.time.empty()) {
    throw base::InputError(
        fmt::format("no sample lies between {:g} and {:g} s; the motion has {:g} "
                    "to {:g} s.",
                    options.from, options.until, time.front(), time.back()));
  }
  return out;
}

}  // namespace parfait::motion
