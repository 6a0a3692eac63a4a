#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/dynamics/second_order.h"

namespace parfait::integrate {

/// For tests: q'' = -omega^2 q - c v and e' = -decay e, the simplest mechanical system there is;
/// with `contradiction` a constraint 1 = 0 on top.
class Oscillator final : public dynamics::System, public dynamics::SecondOrder {
 public:
  Oscillator(double omega, double c, double decay, bool contradiction = false)
      : omega2_(omega * omega), c_(c), decay_(decay) {
    sizes_.nq = sizes_.nv = sizes_.ne = 1;
    sizes_.num_pos = sizes_.num_vel = contradiction ? 1 : 0;
  }

  const dynamics::Sizes& sizes() const override { return sizes_; }
  const std::vector<dynamics::ParameterInfo>& parameters() const override { return parameters_; }
  std::vector<std::string> state_names() const override { return {"q", "v", "e"}; }
  std::vector<double> initial_state() const override { return {1, 0, 1}; }
  std::unique_ptr<dynamics::Workspace> make_workspace(int) const override {
    return std::make_unique<dynamics::Workspace>();
  }
  std::unique_ptr<dynamics::Workspace> make_bound_copy(const dynamics::Workspace&,
                                                       int) const override {
    return std::make_unique<dynamics::Workspace>();
  }
  void bind(dynamics::Workspace&, dynamics::ConstVec) const override {}
  void bind_directions(dynamics::Workspace&, const dynamics::Directions&) const override {}
  dynamics::Status evaluate(dynamics::Workspace&, const dynamics::Point& at, dynamics::Vec dydt,
                            dynamics::Vec) const override {
    dydt[0] = at.y[1];
    dydt[1] = -omega2_ * at.y[0] - c_ * at.y[1];
    dydt[2] = -decay_ * at.y[2];
    return dynamics::Status::kOk;
  }
  void directions(dynamics::Workspace&, const dynamics::PointDirections& d,
                  dynamics::Directions& out, dynamics::Directions*) const override {
    for (int k = 0; k < out.count(); ++k) {
      out(0, k) = (*d.dy)(1, k);
      out(1, k) = -omega2_ * (*d.dy)(0, k) - c_ * (*d.dy)(1, k);
      out(2, k) = -decay_ * (*d.dy)(2, k);
    }
  }
  void invariants(dynamics::Workspace&, double, dynamics::ConstVec, dynamics::Vec) const override {}
  dynamics::ProjectionReport project(dynamics::Workspace&, double, dynamics::Vec, dynamics::Norm,
                                     double) const override {
    return {};
  }
  dynamics::Status project_directions(dynamics::Workspace&, dynamics::Directions&) const override {
    return dynamics::Status::kOk;
  }
  std::unique_ptr<Observer> make_observer(std::span<const std::string>) const override {
    return nullptr;
  }
  dynamics::Status observe(dynamics::Workspace&, const Observer&, const dynamics::Point&,
                           dynamics::Vec) const override {
    return dynamics::Status::kOk;
  }
  void observe_directions(dynamics::Workspace&, const Observer&, const dynamics::PointDirections&,
                          dynamics::Directions&) const override {}
  const dynamics::SecondOrder* second_order() const override { return this; }

  void mass(dynamics::Workspace&, dynamics::Triplets& M) const override {
    M.clear();
    M.add(0, 0, 1);
  }
  void mass_directions(dynamics::Workspace&, dynamics::ConstVec,
                       dynamics::Directions& dMa) const override {
    dMa.resize(1, dMa.count());
  }
  dynamics::Status evaluate(dynamics::Workspace&, const dynamics::Point& at, dynamics::ConstVec,
                            dynamics::Vec r, dynamics::Vec g, dynamics::Vec edot) const override {
    r[0] = -omega2_ * at.y[0] - c_ * at.y[1];
    if (!g.empty()) g[0] = 1;
    edot[0] = -decay_ * at.y[2];
    return dynamics::Status::kOk;
  }
  void linearize(dynamics::Workspace&, dynamics::Linearization& out) const override {
    out = {};
    out.dr_dq.add(0, 0, -omega2_);
    out.dr_dv.add(0, 0, -c_);
    out.dedot_de.add(0, 0, -decay_);
  }
  void directions(dynamics::Workspace&, const dynamics::PointDirections& d,
                  dynamics::Directions& dr, dynamics::Directions& dg,
                  dynamics::Directions& dedot) const override {
    for (int k = 0; k < dr.count(); ++k) {
      dr(0, k) = -omega2_ * (*d.dy)(0, k) - c_ * (*d.dy)(1, k);
      dedot(0, k) = -decay_ * (*d.dy)(2, k);
    }
    dg.resize(dg.rows(), dg.count());
  }

 private:
  double omega2_, c_, decay_;
  dynamics::Sizes sizes_;
  std::vector<dynamics::ParameterInfo> parameters_;
};

}  // namespace parfait::integrate
