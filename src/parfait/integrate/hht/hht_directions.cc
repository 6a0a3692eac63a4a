#include <algorithm>

#include "parfait/integrate/hht/hht_stepper.h"
#include "parfait/integrate/stepping/hermite.h"

// The directions of a step: its equations, differentiated at their solution (H11-H13).
namespace parfait::integrate {
namespace {

using dynamics::Directions;
using math::Lane;
using math::load;
using math::store;

/// visit(c, i) for rows first ... first + count - 1 of every chunk c.
template <class Visit>
void for_each_lane(const Directions& x, int count, const Visit& visit) {
  for (int c = 0; c < x.chunks(); ++c) {
    for (int i = 0; i < count; ++i) visit(c, i);
  }
}

Lane get(const Directions& x, int chunk, int row) {
  return load(x.chunk(chunk) + static_cast<std::size_t>(row) * math::kLanes);
}
void put(Directions& x, int chunk, int row, const Lane& value) {
  store(x.chunk(chunk) + static_cast<std::size_t>(row) * math::kLanes, value);
}

}  // namespace

/// At the start a = M^-1 F, of the index-1 form.
void Hht::start_directions() {
  // W1_ is free until the first step ends.
  flow_.directions(W0_, W1_);
  for_each_lane(W0_, nq_, [&](int c, int i) { put(dnow_.a, c, i, get(W1_, c, nq_ + i)); });
  for_each_lane(W0_, ne_, [&](int c, int i) { put(dnow_.d, c, i, get(W1_, c, 2 * nq_ + i)); });
  dnow_.f_e = dnow_.d;
  mechanics_.mass_directions(flow_.workspace(), now_.a, dMa_);
  matrix_.multiply_mass(dnow_.a, dnow_.F);
  for_each_lane(W0_, nq_,
                [&](int c, int i) { put(dnow_.F, c, i, get(dnow_.F, c, i) + get(dMa_, c, i)); });
  W1_ = W0_;
}

void Hht::differentiate_start_rates() {
  dstart_a_ = dnow_.a;
  dstart_d_ = dnow_.d;
  if (h_last_ == 0 || alpha_ == 0) return;
  const double ratio = h_used_ / h_last_;
  // d(M^-1 F) = M^-1 (dF - dM M^-1 F)
  mechanics_.mass_directions(flow_.workspace(), true_a_, dMa_);
  for_each_lane(W0_, nq_,
                [&](int c, int i) { put(dstart_a_, c, i, get(dnow_.F, c, i) - get(dMa_, c, i)); });
  matrix_.divide_by_mass(dstart_a_);
  for_each_lane(W0_, nq_, [&](int c, int i) {
    const Lane at_t0 = get(dstart_a_, c, i);
    put(dstart_a_, c, i, at_t0 + ratio * (get(dnow_.a, c, i) - at_t0));
  });
  for_each_lane(W0_, ne_, [&](int c, int i) {
    const Lane at_t0 = get(dnow_.f_e, c, i);
    put(dstart_d_, c, i, at_t0 + ratio * (get(dnow_.d, c, i) - at_t0));
  });
}

/// The part of the end that does not come through a_1 and d_1.
void Hht::predict_directions() {
  const double h = h_used_;
  for_each_lane(W0_, nq_, [&](int c, int i) {
    const Lane v0 = get(W0_, c, nq_ + i), a0 = get(dstart_a_, c, i);
    put(W_end_, c, i, get(W0_, c, i) + h * v0 + h * h * (0.5 - beta_) * a0);
    put(W_end_, c, nq_ + i, v0 + h * (1 - gamma_) * a0);
  });
  for_each_lane(W0_, ne_, [&](int c, int i) {
    put(W_end_, c, 2 * nq_ + i, get(W0_, c, 2 * nq_ + i) + h * (1 - gamma_) * get(dstart_d_, c, i));
  });
}

void Hht::finish_directions() {
  const double h = h_used_, inertia = 1 / (1 + alpha_);
  for_each_lane(W0_, nq_, [&](int c, int i) {
    const Lane a1 = get(dx_, c, i);
    put(dnext_.a, c, i, a1);
    put(W_end_, c, i, get(W_end_, c, i) + beta_ * h * h * a1);
    put(W_end_, c, nq_ + i, get(W_end_, c, nq_ + i) + gamma_ * h * a1);
  });
  for_each_lane(W0_, ne_, [&](int c, int i) {
    const Lane d1 = get(dx_, c, nq_ + ng_ + i);
    put(dnext_.d, c, i, d1);
    put(W_end_, c, 2 * nq_ + i, get(W_end_, c, 2 * nq_ + i) + gamma_ * h * d1);
    put(dnext_.f_e, c, i, inertia * (d1 + alpha_ * get(dnow_.f_e, c, i)));
  });
  matrix_.multiply_mass(dnext_.a, dnext_.F);
  for_each_lane(W0_, nq_, [&](int c, int i) {
    put(dnext_.F, c, i,
        inertia * (get(dnext_.F, c, i) + get(dMa_, c, i) + alpha_ * get(dnow_.F, c, i)));
  });
}

/// J (da, dlambda, dd) = -d(residual) along the history and the parameters, J at the solution.
bool Hht::differentiate() {
  const double h = h_used_, inertia = 1 / (1 + alpha_), past = alpha_ / (1 + alpha_);
  ++flow_.statistics.evaluations;
  status_ = mechanics_.evaluate(flow_.workspace(), flow_.point(t1_, end_), lambda_, r_, g_, edot_);
  if (status_ != dynamics::Status::kOk) return false;
  newton_failed_ = !refresh_matrix();
  if (newton_failed_) return false;
  differentiate_start_rates();
  predict_directions();
  ++flow_.statistics.direction_evaluations;
  mechanics_.directions(flow_.workspace(), {.dt = {}, .dy = &W_end_}, dr_, dg_, dedot_);
  mechanics_.mass_directions(flow_.workspace(), next_.a, dMa_);
  for_each_lane(W0_, nq_, [&](int c, int i) {
    put(dx_, c, i, get(dr_, c, i) - past * get(dnow_.F, c, i) - inertia * get(dMa_, c, i));
  });
  const double scale = -1 / (beta_ * h * h);
  for_each_lane(W0_, ng_, [&](int c, int i) { put(dx_, c, nq_ + i, scale * get(dg_, c, i)); });
  for_each_lane(W0_, ne_, [&](int c, int i) {
    put(dx_, c, nq_ + ng_ + i, get(dedot_, c, i) - past * get(dnow_.f_e, c, i));
  });
  matrix_.solve(dx_);
  finish_directions();
  return true;
}

dynamics::Status Hht::directions(double t, Directions& W) {
  const Hermite w(t - t0_, h_used_);
  for_each_lane(W0_, nq_, [&](int c, int i) {
    const Lane q0 = get(W0_, c, i), v0 = get(W0_, c, nq_ + i);
    const Lane q1 = get(W_end_, c, i), v1 = get(W_end_, c, nq_ + i);
    put(W, c, i, w.value(q0, v0, q1, v1));
    put(W, c, nq_ + i, w.slope(q0, v0, q1, v1));
  });
  for_each_lane(W0_, ne_, [&](int c, int i) {
    const int at = 2 * nq_ + i;
    put(W, c, at,
        w.value(get(W0_, c, at), get(dnow_.f_e, c, i), get(W_end_, c, at), get(dnext_.f_e, c, i)));
  });
  return dynamics::Status::kOk;
}

}  // namespace parfait::integrate
