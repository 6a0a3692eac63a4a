#include <algorithm>
#include <functional>

#include "parfait/dynamics/system.h"

// Pull-backs of systems that have none of their own: directions along every unit vector, a chunk at
// a time, each multiplied with the seed.
namespace parfait::dynamics {
namespace {

constexpr int kCount = math::kLanes;

/// sum_i seed_i d(i, j).
double product(ConstVec seed, const Directions& d, int j) {
  double sum = 0;
  for (std::size_t i = 0; i < seed.size(); ++i) sum += seed[i] * d(static_cast<int>(i), j);
  return sum;
}

/// Unit directions of (t, y, z, u), then of the parameters, a chunk at a time.
class UnitDirections {
 public:
  UnitDirections(const System& system, Workspace& ws)
      : system_(system),
        ws_(ws),
        ny_(system.sizes().ny()),
        nz_(system.sizes().nz),
        nu_(system.sizes().nu),
        np_(system.sizes().np),
        dy_(ny_, kCount),
        dz_(nz_, kCount),
        du_(nu_, kCount),
        dp_(np_, kCount) {
    ws.parameter_adjoint.resize(static_cast<std::size_t>(np_));
  }

  /// Adds, for each unit direction d, what `differentiate` (called once per chunk) and then
  /// along(j) give. Without `point` only the parameters move.
  void pull(const std::function<void(const PointDirections& d)>& differentiate,
            const std::function<double(int j)>& along, Pulled* point) {
    dp_.resize(np_, kCount);
    system_.bind_directions(ws_, dp_);
    num_z_ = point && !point->z.empty() ? nz_ : 0;
    num_u_ = point && !point->u.empty() ? nu_ : 0;
    const int num_point = point ? 1 + ny_ + num_z_ + num_u_ : 0;
    for (int first = 0; first < num_point; first += kCount) {
      const int count = std::min(kCount, num_point - first);
      clear_point();
      for (int j = 0; j < count; ++j) entry(first + j, j) = 1;
      differentiate(moving());
      for (int j = 0; j < count; ++j) adjoint(*point, first + j) += along(j);
    }
    clear_point();
    for (int first = 0; first < np_; first += kCount) {
      const int count = std::min(kCount, np_ - first);
      dp_.resize(np_, kCount);
      for (int j = 0; j < count; ++j) dp_(first + j, j) = 1;
      system_.bind_directions(ws_, dp_);
      differentiate(moving());
      for (int j = 0; j < count; ++j) {
        ws_.parameter_adjoint[first + j] += along(j);
      }
    }
    dp_.resize(np_, kCount);
    system_.bind_directions(ws_, dp_);
  }

 private:
  PointDirections moving() const {
    return {.dt = {dt_, kCount},
            .dy = &dy_,
            .dz = nz_ > 0 ? &dz_ : nullptr,
            .du = num_u_ > 0 ? &du_ : nullptr,
            .dphi = nullptr};
  }
  void clear_point() {
    std::fill(dt_, dt_ + kCount, 0.0);
    dy_.resize(ny_, kCount);
    dz_.resize(nz_, kCount);
    du_.resize(nu_, kCount);
  }
  double& entry(int i, int j) {
    if (i == 0) return dt_[j];
    if (i <= ny_) return dy_(i - 1, j);
    const int k = i - 1 - ny_;
    return k < num_z_ ? dz_(k, j) : du_(k - num_z_, j);
  }
  double& adjoint(Pulled& to, int i) const {
    if (i == 0) return to.t;
    if (i <= ny_) return to.y[static_cast<std::size_t>(i - 1)];
    const int k = i - 1 - ny_;
    return k < num_z_ ? to.z[static_cast<std::size_t>(k)]
                      : to.u[static_cast<std::size_t>(k - num_z_)];
  }

  const System& system_;
  Workspace& ws_;
  int ny_, nz_, nu_, np_;
  int num_z_ = 0, num_u_ = 0;  ///< asked for
  double dt_[kCount] = {};
  Directions dy_, dz_, du_, dp_;
};

}  // namespace

void System::clear_parameter_adjoint(Workspace& ws) const {
  ws.parameter_adjoint.assign(static_cast<std::size_t>(sizes().np), 0.0);
}

void System::add_parameter_gradient(Workspace& ws, Vec gradient) const {
  for (std::size_t i = 0; i < ws.parameter_adjoint.size(); ++i) {
    gradient[i] += ws.parameter_adjoint[i];
  }
}

void System::move_parameter_adjoint(Workspace& from, Workspace& to) const {
  to.parameter_adjoint.resize(static_cast<std::size_t>(sizes().np));
  for (std::size_t i = 0; i < from.parameter_adjoint.size(); ++i) {
    to.parameter_adjoint[i] += from.parameter_adjoint[i];
    from.parameter_adjoint[i] = 0;
  }
}

void System::pull_back(Workspace& ws, ConstVec dydt, ConstVec residual, Pulled& to) const {
  Directions ddydt(sizes().ny(), kCount), dresidual(sizes().nz, kCount);
  UnitDirections(*this, ws).pull(
      [&](const PointDirections& d) {
        directions(ws, d, ddydt, sizes().nz > 0 ? &dresidual : nullptr);
      },
      [&](int j) { return product(dydt, ddydt, j) + product(residual, dresidual, j); }, &to);
}

Status System::pull_back_projection(Workspace& ws, Vec y) const {
  const std::vector<double> seed(y.begin(), y.end());
  std::ranges::fill(y, 0.0);
  Directions dy(sizes().ny(), kCount);
  Status status = Status::kOk;
  Pulled to{.t = 0, .y = y, .z = {}};
  UnitDirections(*this, ws).pull(
      [&](const PointDirections& d) {
        dy = *d.dy;
        const Status now = project_directions(ws, dy);
        if (status == Status::kOk) status = now;
      },
      [&](int j) { return product(seed, dy, j); }, &to);
  return status;
}

void System::pull_back_observation(Workspace& ws, const Observer& observer, ConstVec values,
                                   Pulled& to) const {
  Directions dvalues(observer.size(), kCount);
  UnitDirections(*this, ws).pull(
      [&](const PointDirections& d) { observe_directions(ws, observer, d, dvalues); },
      [&](int j) { return product(values, dvalues, j); }, &to);
}

void System::pull_back_switches(Workspace& ws, ConstVec s, Pulled& to) const {
  Directions ds(sizes().num_switches, kCount);
  UnitDirections(*this, ws).pull([&](const PointDirections& d) { switch_directions(ws, d, ds); },
                                 [&](int j) { return product(s, ds, j); }, &to);
}

void System::pull_back_jump(Workspace& ws, ConstVec after, Pulled& to) const {
  Directions dafter(sizes().ny(), kCount);
  UnitDirections(*this, ws).pull([&](const PointDirections& d) { jump_directions(ws, d, dafter); },
                                 [&](int j) { return product(after, dafter, j); }, &to);
}

void System::pull_back_start(Workspace& ws, ConstVec y) const {
  Directions dy(sizes().ny(), kCount);
  UnitDirections(*this, ws).pull(
      [&](const PointDirections&) {
        dy.resize(sizes().ny(), kCount);
        start_directions(ws, dy);
      },
      [&](int j) { return product(y, dy, j); }, nullptr);
}

}  // namespace parfait::dynamics
