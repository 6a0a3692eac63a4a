#include "parfait/mbs/projection/bilinear_row.h"

#include <type_traits>

#include "parfait/math/symmetric.h"
#include "parfait/mbs/placement/placement.h"

namespace parfait::mbs {
namespace {

/// Coefficients of canonical vectors to those of the user's: canonical = u A.
template <class S>
std::array<S, 4> in_user_vectors(const KernelData& kernel, int body, const std::array<S, 4>& c) {
  if (body == kernel.structure.num_bodies || kernel.maps[body].is_identity) return c;
  std::array<S, 4> out{};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) out[i] = out[i] + S(kernel.maps[body].A[i][j]) * c[j];
  }
  return out;
}

/// A constant, and how it moves along the present chunk.
template <class S>
S number(double value, const Lane* direction) {
  if constexpr (std::is_same_v<S, Dual>) {
    if (direction) return Dual(value, *direction);
  }
  return S(value);
}

template <class S>
class Marker {
 public:
  Marker(const KernelData& kernel, const KernelConstants& constants, const SeedWork& seed,
         int joint, int side)
      : kernel_(kernel),
        constants_(constants),
        seed_(seed),
        body_(kernel.structure.joints[joint].body[side]),
        side_(side),
        geometry_(constants.geometry[joint]) {
    if constexpr (std::is_same_v<S, Dual>) seeds_ = seed.geometry[joint];
  }

  /// sign (o + X (rho + c))
  std::array<S, 4> point(double sign) const {
    const bool ground = body_ == kernel_.structure.num_bodies;
    const auto c = ground ? std::array<double, 3>{} : constants_.center(body_);
    std::array<S, 4> out;
    out[0] = S(sign);
    for (int k = 0; k < 3; ++k) {
      S r = number<S>(geometry_.rho[side_][k] + c[k], seeds_ ? &seeds_->rho[side_][k] : nullptr);
      if constexpr (std::is_same_v<S, Dual>) {
        if (!ground && seed_.inertia[body_]) r.d += seed_.inertia[body_]->c[k];
      }
      out[1 + k] = S(sign) * r;
    }
    return in_user_vectors(kernel_, body_, out);
  }

  std::array<S, 4> axis(int i) const {
    std::array<S, 4> out;
    out[0] = S(0.0);
    for (int k = 0; k < 3; ++k) {
      const Lane* direction = seeds_ ? &seeds_->axis[side_][i][k] : nullptr;
      out[1 + k] = number<S>(geometry_.axis[side_][i][k], direction);
    }
    return in_user_vectors(kernel_, body_, out);
  }

 private:
  const KernelData& kernel_;
  const KernelConstants& constants_;
  const SeedWork& seed_;
  int body_, side_;
  const Geometry& geometry_;
  const GeometryLanes* seeds_ = nullptr;
};

template <class S>
BilinearRow<S> body_row_form(const KernelData& kernel, int body, int e) {
  const auto axis = [&](int i) {  // the user's axis i = sum_k X_k S_ki
    const auto& frame = kernel.maps[body].S;
    return in_user_vectors<S>(kernel, body,
                              {S(0.0), S(frame[0][i]), S(frame[1][i]), S(frame[2][i])});
  };
  BilinearRow<S> row;
  row.body[0] = body;
  row.body[1] = kernel.structure.num_bodies;
  row.xi[0] = axis(kPair[e][0]);
  row.eta[0] = axis(kPair[e][1]);
  row.s = e < 3 ? 0.5 : 1;
  return row;
}

template <class S>
BilinearRow<S> joint_row_form(const KernelData& kernel, const KernelConstants& constants,
                              const SeedWork& seed, int j, int i) {
  const JointShape& shape = kernel.structure.joints[j];
  const RowShape& which = shape.rows[i];
  const Marker<S> begin(kernel, constants, seed, j, 0), end(kernel, constants, seed, j, 1);
  BilinearRow<S> row;
  row.body[0] = shape.body[0];
  row.body[1] = shape.body[1];
  if (which.kind == RowKind::kDDX) {
    row.xi[0] = begin.axis(which.a_axis);
    row.eta[1] = end.axis(which.b_axis);
    return row;
  }
  row.xi = {begin.point(1), end.point(-1)};
  switch (which.kind) {
    case RowKind::kBBDX:
      row.eta[0] = begin.axis(which.a_axis);
      break;
    case RowKind::kBBX:
      row.eta = row.xi;
      row.s = 0.5;
      break;
    default:
      row.component = static_cast<int>(which.kind) - static_cast<int>(RowKind::kB0x);
  }
  return row;
}

}  // namespace

template <class S>
BilinearRow<S> row_form(const KernelData& kernel, const KernelConstants& constants,
                        const SeedWork& seed, const RowId& id) {
  return id.body >= 0 ? body_row_form<S>(kernel, id.body, id.index)
                      : joint_row_form<S>(kernel, constants, seed, id.joint, id.index);
}

template BilinearRow<double> row_form(const KernelData&, const KernelConstants&, const SeedWork&,
                                      const RowId&);
template BilinearRow<Dual> row_form(const KernelData&, const KernelConstants&, const SeedWork&,
                                    const RowId&);

}  // namespace parfait::mbs
