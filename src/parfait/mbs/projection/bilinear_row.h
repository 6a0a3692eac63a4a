#pragma once

#include <array>

#include "parfait/mbs/data/model_data.h"

/// Every position row of Kraus 2006, appendix C.1, and every rigid-body row, is a component of one
/// vector or a product of two, each a combination of the vectors u_0 ... u_3 that two bodies show:
///
///   x = sum over ends and i of xi_i u_i,    y = sum eta_i u_i
///   g = x_k - offset          (B0)          dg = xi (x) e_k
///   g = s x . y - offset      (others)      dg = s (xi (x) y + eta (x) x),
///                                           Hessian s (xi eta^T + eta xi^T) (x) I_3
///
/// in the user's coordinates: gradients and curvature without a case by kind of row.
/// (docs/theory/hht.md, H9)
namespace parfait::mbs {

template <class S>
struct BilinearRow {
  int body[2] = {0, 0};  ///< num_bodies: the ground, whose vectors are o = 0 and the unit axes
  std::array<std::array<S, 4>, 2> xi{}, eta{};
  double s = 1;        ///< factor of x . y
  int component = -1;  ///< k of a B0 row
};

/// A row of g_pos: entry `index` (xx yy zz xy xz yz) of a body, or row `index` of a joint.
struct RowId {
  int body = -1, joint = -1;
  int index = 0;
};

/// The row as a form at these constants; with Dual they move along the present chunk of the seeds.
template <class S>
BilinearRow<S> row_form(const KernelData& kernel, const KernelConstants& constants,
                        const SeedWork& seed, const RowId& id);

extern template BilinearRow<double> row_form(const KernelData&, const KernelConstants&,
                                             const SeedWork&, const RowId&);
extern template BilinearRow<Dual> row_form(const KernelData&, const KernelConstants&,
                                           const SeedWork&, const RowId&);

/// visit(row of g_pos, id) for all of them.
template <class Visit>
void for_each_row(const KernelData& kernel, const Visit& visit) {
  for (int b = 0; b < kernel.structure.num_bodies; ++b) {
    for (int e = 0; e < 6; ++e) {
      const int row = kernel.structure.body_row[b][e];
      if (row >= 0) visit(row, RowId{.body = b, .joint = -1, .index = e});
    }
  }
  for (int j = 0; j < kernel.num_joints(); ++j) {
    const JointShape& shape = kernel.structure.joints[j];
    int row = shape.first_pos_row;
    for (int i = 0; i < shape.nrows; ++i) {
      if (!shape.rows[i].is_velocity()) visit(row++, RowId{.body = -1, .joint = j, .index = i});
    }
  }
}

}  // namespace parfait::mbs
