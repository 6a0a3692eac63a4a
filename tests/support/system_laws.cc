#include "testing/system_laws.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include "testing/differences.h"

namespace parfait::testing_support {
namespace {

using dynamics::Directions;
using dynamics::Status;
using Eigen::VectorXd;

/// x = (t, y, z, u, p), in this order, moved along the unit directions.
class LawCheck {
 public:
  LawCheck(const dynamics::System& system, const LawPoint& point, const LawOptions& options,
           bool with_differences = true)
      : system_(system),
        with_differences_(with_differences),
        options_(options),
        point_(point),
        ny_(system.sizes().ny()),
        nz_(system.sizes().nz),
        nu_(system.sizes().nu),
        np_(system.sizes().np),
        num_(1 + ny_ + nz_ + nu_ + np_),
        ws_(system.make_workspace(num_)),
        dy_(ny_, num_),
        dz_(nz_, num_),
        du_(nu_, num_),
        dp_(np_, num_),
        dt_(static_cast<std::size_t>(num_), 0.0),
        adjoint_ws_(system.make_workspace(math::kLanes)) {
    dt_[0] = 1;
    for (int i = 0; i < ny_; ++i) dy_(i, 1 + i) = 1;
    for (int i = 0; i < nz_; ++i) dz_(i, 1 + ny_ + i) = 1;
    for (int i = 0; i < nu_; ++i) du_(i, 1 + ny_ + nz_ + i) = 1;
    for (int i = 0; i < np_; ++i) dp_(i, 1 + ny_ + nz_ + nu_ + i) = 1;
    for (int i = static_cast<int>(point_.u.size()); i < nu_; ++i) {
      point_.u.push_back(std::sin(1.3 * i + 0.4));
    }
    bind(point);
    system.bind_directions(*ws_, dp_);
    system.bind(*adjoint_ws_, point.p);
  }

  void right_hand_side() {
    const auto values = [&](const LawPoint& at) {
      VectorXd out(ny_ + nz_);
      require(
          system_.evaluate(*ws_, place(at), {out.data(), size(ny_)}, {out.data() + ny_, size(nz_)}),
          "evaluate");
      return out;
    };
    values(point_);
    Directions ddydt(ny_, num_), dresidual(nz_, num_);
    system_.directions(*ws_, moving(), ddydt, nz_ > 0 ? &dresidual : nullptr);
    Directions all(ny_ + nz_, num_);
    for (int j = 0; j < num_; ++j) {
      for (int i = 0; i < ny_; ++i) all(i, j) = ddydt(i, j);
      for (int i = 0; i < nz_; ++i) all(ny_ + i, j) = dresidual(i, j);
    }
    compare("directions", all, values);
    pull("pull_back", all, [&](dynamics::Workspace& ws, const VectorXd& seed, Pulled& to) {
      VectorXd out(ny_ + nz_);
      require(system_.evaluate(ws, place(point_), {out.data(), size(ny_)},
                               {out.data() + ny_, size(nz_)}),
              "evaluate");
      system_.pull_back(ws, {seed.data(), size(ny_)}, {seed.data() + ny_, size(nz_)}, to);
    });
  }

  void switching_functions() {
    const int n = system_.sizes().num_switches;
    if (n == 0) return;
    if (static_cast<int>(system_.switch_infos().size()) != n) {
      report_.violations.emplace_back("switch_infos() has not one entry per switching function");
    }
    const auto values = [&](const LawPoint& at) {
      VectorXd s(n);
      require(system_.switches(*ws_, place(at), {s.data(), size(n)}), "switches");
      return s;
    };
    values(point_);
    Directions ds(n, num_);
    system_.switch_directions(*ws_, moving(), ds);
    compare("switch_directions", ds, values);
    pull("pull_back_switches", ds, [&](dynamics::Workspace& ws, const VectorXd& seed, Pulled& to) {
      VectorXd out(n);
      require(system_.switches(ws, place(point_), {out.data(), size(n)}), "switches");
      system_.pull_back_switches(ws, {seed.data(), size(n)}, to);
    });
  }

  void jumps() {
    const auto infos = system_.switch_infos();
    for (int which = 0; which < static_cast<int>(infos.size()); ++which) {
      if (infos[size(which)].jump == dynamics::SwitchInfo::Jump::kNever) continue;
      const auto values = [&](const LawPoint& at) {
        VectorXd after(ny_);
        require(system_.jump(*ws_, which, place(at), {after.data(), size(ny_)}), "jump");
        return after;
      };
      values(point_);
      Directions dafter(ny_, num_);
      system_.jump_directions(*ws_, moving(), dafter);
      compare("jump_directions of \"" + infos[size(which)].name + "\"", dafter, values);
      pull("pull_back_jump of \"" + infos[size(which)].name + "\"", dafter,
           [&](dynamics::Workspace& ws, const VectorXd& seed, Pulled& to) {
             VectorXd after(ny_);
             require(system_.jump(ws, which, place(point_), {after.data(), size(ny_)}), "jump");
             system_.pull_back_jump(ws, {seed.data(), size(ny_)}, to);
           });
    }
  }

  void start() {
    const auto values = [&](const LawPoint&) {
      VectorXd y(ny_), z(nz_);
      system_.start(*ws_, {y.data(), size(ny_)}, {z.data(), size(nz_)});
      return y;
    };
    Directions dy(ny_, num_);
    system_.start_directions(*ws_, dy);
    compare("start_directions", dy, values);
    pull("pull_back_start", dy, [&](dynamics::Workspace& ws, const VectorXd& seed, Pulled&) {
      system_.pull_back_start(ws, {seed.data(), size(ny_)});
    });
  }

  void quantities() {
    if (options_.quantities.empty()) return;
    const auto observer = system_.make_observer(options_.quantities);
    const int n = observer->size();
    const auto values = [&](const LawPoint& at) {
      VectorXd out(n);
      require(system_.observe(*ws_, *observer, place(at), {out.data(), size(n)}), "observe");
      return out;
    };
    values(point_);
    Directions dvalues(n, num_);
    system_.observe_directions(*ws_, *observer, moving(), dvalues);
    compare("observe_directions", dvalues, values);
    pull("pull_back_observation", dvalues,
         [&](dynamics::Workspace& ws, const VectorXd& seed, Pulled& to) {
           VectorXd out(n);
           require(system_.observe(ws, *observer, place(point_), {out.data(), size(n)}), "observe");
           system_.pull_back_observation(ws, *observer, {seed.data(), size(n)}, to);
         });
  }

  void invariants() {
    const int n = system_.sizes().num_pos + system_.sizes().num_vel;
    if (n == 0) return;
    const auto values = [&](const LawPoint& at) {
      VectorXd g(n);
      system_.invariants(*ws_, at.t, at.y, {g.data(), size(n)});
      return g;
    };
    Directions dg(n, num_);
    system_.invariant_directions(*ws_, point_.t, point_.y, moving(), dg);
    compare("invariant_directions", dg, values);
    rates_of_invariants(dg);
  }

  void projection() {
    const int num_invariants = system_.sizes().num_pos + system_.sizes().num_vel;
    if (num_invariants == 0) return;
    const double tolerance = options_.projection_tolerance;
    const auto values = [&](const LawPoint& at) {
      VectorXd y = Eigen::Map<const VectorXd>(at.y.data(), ny_);
      const auto result =
          system_.project(*ws_, at.t, {y.data(), size(ny_)}, dynamics::Norm::kMass, tolerance);
      require(result.status, "project");
      return y;
    };
    const VectorXd once = values(point_);
    // Time and parameters do not move here: project_directions() takes dy alone.
    Directions dy = dy_;
    require(system_.project_directions(*ws_, dy), "project_directions");
    compare("project_directions", dy, values, 1, 1 + ny_);
    pull(
        "pull_back_projection", dy, [&](dynamics::Workspace& ws, const VectorXd& seed, Pulled& to) {
          VectorXd y = Eigen::Map<const VectorXd>(point_.y.data(), ny_);
          require(
              system_.project(ws, point_.t, {y.data(), size(ny_)}, dynamics::Norm::kMass, tolerance)
                  .status,
              "project");
          y = seed;
          require(system_.pull_back_projection(ws, {y.data(), size(ny_)}), "pull_back_projection");
          for (int i = 0; i < ny_; ++i) to.y[size(i)] += y[i];
        });

    VectorXd g(num_invariants);
    system_.invariants(*ws_, point_.t, {once.data(), size(ny_)}, {g.data(), size(num_invariants)});
    if (!(g.lpNorm<Eigen::Infinity>() <= tolerance)) {
      report_.violations.emplace_back("project() leaves the invariants above its tolerance");
    }
    LawPoint projected = point_;
    projected.y.assign(once.begin(), once.end());
    if (!((values(projected) - once).lpNorm<Eigen::Infinity>() <= 100 * tolerance)) {
      report_.violations.emplace_back("project() moves a state that it has just projected");
    }
  }

  LawReport report() const { return report_; }

 private:
  using Pulled = dynamics::Pulled;
  using PullBack = std::function<void(dynamics::Workspace& ws, const VectorXd& seed, Pulled& to)>;

  /// <seed, d> = <pulled back, unit vector> for every direction, to 1e-11 of the sum of magnitudes:
  /// the one is the transpose of the other, to rounding. Twice, since the second must forget the
  /// first.
  void pull(const std::string& what, const Directions& d, const PullBack& pull_back) {
    VectorXd seed(d.rows());
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < seed.size(); ++i) seed[i] = std::sin(1.7 * i + 0.6 + round);
      VectorXd pulled = VectorXd::Zero(num_);
      Pulled to{.t = 0,
                .y = {pulled.data() + 1, size(ny_)},
                .z = {pulled.data() + 1 + ny_, size(nz_)},
                .u = {pulled.data() + 1 + ny_ + nz_, size(nu_)}};
      system_.clear_parameter_adjoint(*adjoint_ws_);
      pull_back(*adjoint_ws_, seed, to);
      pulled[0] = to.t;
      system_.add_parameter_gradient(*adjoint_ws_,
                                     {pulled.data() + 1 + ny_ + nz_ + nu_, size(np_)});
      double largest = 0;
      for (int j = 0; j < num_; ++j) {
        for (int i = 0; i < d.rows(); ++i) largest = std::max(largest, std::abs(seed[i] * d(i, j)));
      }
      for (int j = 0; j < num_; ++j) {
        double sum = 0, magnitude = largest;
        for (int i = 0; i < d.rows(); ++i) {
          sum += seed[i] * d(i, j);
          magnitude += std::abs(seed[i] * d(i, j));
        }
        ++report_.num_compared;
        report_.num_nonzero += sum != 0;
        if (std::abs(sum - pulled[j]) <= options_.adjoint_tolerance * magnitude) continue;
        say(what, j, "the pull-back is", pulled[j], sum);
      }
    }
  }

  using Values = std::function<VectorXd(const LawPoint&)>;

  /// g_vel is the rate of its g_pos along q' = v; natural coordinates have nq = nv.
  void rates_of_invariants(const Directions& dg) {
    const auto& sizes = system_.sizes();
    if (sizes.nq != sizes.nv) return;
    VectorXd g(sizes.num_pos + sizes.num_vel);
    system_.invariants(*ws_, point_.t, point_.y, {g.data(), size(static_cast<int>(g.size()))});
    const auto rows = system_.position_rows();
    if (static_cast<int>(rows.size()) != sizes.num_vel) {
      report_.violations.emplace_back("position_rows() has not one entry per velocity invariant");
      return;
    }
    for (int i = 0; i < sizes.num_vel; ++i) {
      const int row = rows[size(i)];
      if (row < 0) continue;
      double rate = dg(row, 0), largest = 1;
      for (int j = 0; j < sizes.nq; ++j) {
        const double part = dg(row, 1 + j) * point_.y[size(sizes.nq + j)];
        rate += part;
        largest = std::max(largest, std::abs(part));
      }
      if (std::abs(rate - g[sizes.num_pos + i]) <= 1e-12 * largest) continue;
      report_.violations.push_back("velocity invariant " + std::to_string(i) +
                                   " is not the rate of position invariant " + std::to_string(row));
    }
  }

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  void bind(const LawPoint& at) { system_.bind(*ws_, at.p); }

  dynamics::Point place(const LawPoint& at) const {
    return {.t = at.t, .y = at.y, .z = at.z, .u = at.u, .mode = at.mode, .offset = {}};
  }
  dynamics::PointDirections moving() const {
    return {.dt = dt_,
            .dy = &dy_,
            .dz = nz_ > 0 ? &dz_ : nullptr,
            .du = nu_ > 0 ? &du_ : nullptr,
            .dphi = nullptr};
  }

  double& entry(LawPoint& at, int j) const {
    if (j == 0) return at.t;
    if (j < 1 + ny_) return at.y[size(j - 1)];
    if (j < 1 + ny_ + nz_) return at.z[size(j - 1 - ny_)];
    if (j < 1 + ny_ + nz_ + nu_) return at.u[size(j - 1 - ny_ - nz_)];
    return at.p[size(j - 1 - ny_ - nz_ - nu_)];
  }
  std::string entry_name(int j) const {
    if (j == 0) return "t";
    if (j < 1 + ny_) return "y[" + std::to_string(j - 1) + "]";
    if (j < 1 + ny_ + nz_) return "z[" + std::to_string(j - 1 - ny_) + "]";
    if (j < 1 + ny_ + nz_ + nu_) return "u[" + std::to_string(j - 1 - ny_ - nz_) + "]";
    return "p[" + std::to_string(j - 1 - ny_ - nz_ - nu_) + "]";
  }

  void require(Status status, const char* what) {
    if (status == Status::kOk) return;
    report_.violations.push_back(std::string(what) + ": " + dynamics::text(status));
  }

  void compare(const std::string& what, const Directions& d, const Values& values, int first = 0,
               int last = -1) {
    if (!with_differences_) return;
    for (int j = first; j < (last < 0 ? num_ : last); ++j) {
      LawPoint moved = point_;
      const double x = entry(moved, j);
      const auto f = [&](double h) {
        entry(moved, j) = x + h;
        bind(moved);
        return values(moved);
      };
      const auto fd = differentiate(f, options_.step * std::max(std::abs(x), options_.scale));
      bind(point_);
      const double size = 1 + fd.value.lpNorm<Eigen::Infinity>();
      if (!(fd.error <= options_.tolerance * size)) {
        say(what, j, "the differences are not accurate; estimated error", fd.error, 0);
      }
      for (int i = 0; i < d.rows(); ++i) {
        ++report_.num_compared;
        report_.num_nonzero += d(i, j) != 0;
        if (std::abs(d(i, j) - fd.value[i]) <= options_.tolerance * size) continue;
        say(what, j, "row " + std::to_string(i) + " is", d(i, j), fd.value[i]);
      }
    }
  }

  void say(const std::string& what, int j, const std::string& finding, double value,
           double expected) {
    std::ostringstream out;
    out.precision(12);
    out << what << ", d/d" << entry_name(j) << ": " << finding << ' ' << value << ", differences "
        << expected;
    report_.violations.push_back(out.str());
  }

  const dynamics::System& system_;
  bool with_differences_;
  LawOptions options_;
  LawPoint point_;
  int ny_, nz_, nu_, np_, num_;
  std::unique_ptr<dynamics::Workspace> ws_;
  Directions dy_, dz_, du_, dp_;
  std::vector<double> dt_;
  std::unique_ptr<dynamics::Workspace> adjoint_ws_;
  LawReport report_;
};

}  // namespace

LawReport check_system_laws(const dynamics::System& system, const LawPoint& point,
                            const LawOptions& options) {
  LawCheck check(system, point, options);
  check.right_hand_side();
  check.switching_functions();
  check.jumps();
  check.start();
  check.quantities();
  check.invariants();
  check.projection();
  return check.report();
}

LawReport check_pull_backs(const dynamics::System& system, const LawPoint& point,
                           const LawOptions& options) {
  LawCheck check(system, point, options, false);
  check.right_hand_side();
  check.switching_functions();
  check.jumps();
  check.start();
  check.quantities();
  check.projection();
  return check.report();
}

}  // namespace parfait::testing_support
