#include "parfait/mbs/solver/released.h"

#include <cmath>

#include "parfait/math/symmetric.h"
#include "parfait/mbs/solver/joint_step.h"

namespace parfait::mbs {
namespace {

using Vec = Vec3<double>;

V4 column(const V4* quad, int i, int lane) {
  return V4{quad[3 * i][lane], quad[3 * i + 1][lane], quad[3 * i + 2][lane], 0};
}

/// (A J)_j
V4 times_inertia(const V4* A, const KernelConstants& c, int body, int j) {
  return A[0] * c.J(body, kEntry[0][j]) + A[1] * c.J(body, kEntry[1][j]) +
         A[2] * c.J(body, kEntry[2][j]);
}

}  // namespace

void free_released(const Structure& s, const KernelConstants& c, KernelState& k) {
  for (std::size_t index = 0; index < s.released.size(); ++index) {
    const ReleasedShape& shape = s.released[index];
    const int b = shape.body, lane = b % 4;
    BodyQuad& quad = k.quads[b / 4];
    BodyFrame& frame = k.frames[b];
    ReleasedBasis& basis = k.released[index];
    V4 Y[3], XJ[3];
    for (int i = 0; i < 3; ++i) {
      Y[i] = column(quad.Y, i, lane);
      XJ[i] = column(quad.XJ, i, lane);
    }
    const double* Z = frame.Z;
    const auto inverse_inertia = [&](V4 t) {
      const double h0 = Z[0] * t[0], h1 = Z[1] * t[0] + Z[2] * t[1],
                   h2 = Z[3] * t[0] + Z[4] * t[1] + Z[5] * t[2];
      return V4{Z[0] * h0 + Z[1] * h1 + Z[3] * h2, Z[2] * h1 + Z[4] * h2, Z[5] * h2, 0};
    };
    for (int r = 0; r < shape.count;
         ++r) {  // (R1) free of rotation, then Gram-Schmidt in the mass norm
      V4* Q = basis.Q[r];
      for (int j = 0; j < 3; ++j) {
        Q[j] = V4{};
        for (int i = 0; i < 3; ++i) Q[j] += Y[i] * shape.E[r][kEntry[i][j]];
      }
      V4 torque{};
      for (int j = 0; j < 3; ++j) torque += cross(XJ[j], Q[j]);
      const V4 turn = inverse_inertia(torque);
      for (int j = 0; j < 3; ++j) Q[j] -= cross(turn, frame.X[j]);
      const auto inner = [&](const V4* P) {
        double sum = 0;
        for (int j = 0; j < 3; ++j) sum += dot3(P[j], times_inertia(Q, c, b, j));
        return sum;
      };
      for (int e = 0; e < r; ++e) {
        const double along = inner(basis.Q[e]);
        for (int j = 0; j < 3; ++j) Q[j] -= basis.Q[e][j] * along;
      }
      const double scale = 1 / std::sqrt(inner(Q));
      for (int j = 0; j < 3; ++j) Q[j] *= scale;
    }
    for (int r = 0; r < shape.count; ++r) {  // (R2)
      const V4* Q = basis.Q[r];
      double along = 0;
      for (int j = 0; j < 3; ++j) {
        along += dot3(Q[j], k.axis_force[index][j] - times_inertia(frame.Xdd, c, b, j));
      }
      for (int j = 0; j < 3; ++j) frame.Xdd[j] += Q[j] * along;
    }
    for (int j = 0; j < 3; ++j) {
      for (int d = 0; d < 3; ++d) quad.Xdd[3 * j + d][lane] = frame.Xdd[j][d];
    }
  }
}

void released_rows(const Structure& s, const KernelConstants& c, KernelState& k) {
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const JointShape& shape = s.joints[j];
    for (int side = 0; side < 2; ++side) {
      const int index = s.released_index[shape.body[side]];
      if (index < 0) continue;
      const Geometry& g = c.geometry[j];
      double* E = k.released_columns[j].data() + 48 * side;
      for (int i = 0; i < shape.nrows; ++i) {
        const RowShape& row = shape.rows[i];
        const auto grad = row_gradient(row.kind, row_motion(shape, g, k.frames.data(), row));
        const double sign = side == 0 ? 1 : -1;
        const V4 n = sign * V4{grad.n.x, grad.n.y, grad.n.z, 0};
        const Vec e = side == 0 ? grad.e_a : grad.e_b;
        const double* u = g.axis[side][side == 0 ? row.a_axis : row.b_axis];
        for (int r = 0; r < s.released[index].count; ++r) {
          const V4* Q = k.released[index].Q[r];
          E[8 * r + i] =
              dot3(n, combine(Q, g.rho[side])) + dot3(V4{e.x, e.y, e.z, 0}, combine(Q, u));
        }
      }
    }
  }
}

void finish_released(const Structure& s, KernelState& k) {
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const JointShape& shape = s.joints[j];
    const double* lambda = k.multiplier.data() + 8 * j;
    for (int side = 0; side < 2; ++side) {
      const int index = s.released_index[shape.body[side]];
      if (index < 0) continue;
      const int b = shape.body[side];
      const double* E = k.released_columns[j].data() + 48 * side;
      for (int r = 0; r < s.released[index].count; ++r) {
        double along = 0;
        for (int i = 0; i < shape.nrows; ++i) along += E[8 * r + i] * lambda[i];
        const V4* Q = k.released[index].Q[r];
        for (int a = 0; a < 3; ++a) {
          for (int d = 0; d < 3; ++d) k.quads[b / 4].Xdd[3 * a + d][b % 4] -= along * Q[a][d];
        }
      }
    }
  }
}

void prepare_released_directions(const Structure& s, const KernelConstants& c, const KernelState& k,
                                 DirectionState& d) {
  for (std::size_t index = 0; index < s.released.size(); ++index) {
    const int b = s.released[index].body;
    const BodyFrame& f = k.frames[b];
    V4 R[3];  // what is left for the rigid-body multipliers: X Lambda = F_X - X'' J - joints
    for (int j = 0; j < 3; ++j) R[j] = k.axis_force[index][j] - times_inertia(f.Xdd, c, b, j);
    for (std::size_t joint = 0; joint < s.joints.size(); ++joint) {
      const JointShape& shape = s.joints[joint];
      for (int side = 0; side < 2; ++side) {
        if (shape.body[side] != b) continue;
        const Geometry& g = c.geometry[joint];
        for (int i = 0; i < shape.nrows; ++i) {
          const RowShape& row = shape.rows[i];
          const double lambda = k.multiplier[8 * joint + i];
          const auto grad = row_gradient(row.kind, row_motion(shape, g, k.frames.data(), row));
          const Vec n = (side == 0 ? -lambda : lambda) * grad.n;
          const Vec e = -lambda * (side == 0 ? grad.e_a : grad.e_b);
          const double* u = g.axis[side][side == 0 ? row.a_axis : row.b_axis];
          for (int j = 0; j < 3; ++j) {
            R[j] +=
                V4{n.x, n.y, n.z, 0} * splat(g.rho[side][j]) + V4{e.x, e.y, e.z, 0} * splat(u[j]);
          }
        }
      }
    }
    // Lambda = X^-1 R = Y^T R; column j holds Lambda_1j, Lambda_2j, Lambda_3j.
    const BodyQuad& quad = k.quads[b / 4];
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) {
        d.released_Lambda[index][j][i] = dot3(column(quad.Y, i, b % 4), R[j]);
      }
    }
  }
}

void free_released_directions(const Structure& s, const KernelConstants& c, const KernelState& k,
                              int index, const InertiaLanes* inertia, DirectionState& d) {
  const ReleasedShape& shape = s.released[index];
  const int b = shape.body;
  const BodyFrame& f = k.frames[b];
  const Lane* D = d.lanes[b].D;
  Lane* Xdd = d.lanes[b].Xdd;
  const auto& Lambda = d.released_Lambda[index];
  Lane R[9];
  for (int j = 0; j < 3; ++j) {
    for (int m = 0; m < 3; ++m) {
      Lane sum = d.axis_force[index][3 * j + m];
      for (int i = 0; i < 3; ++i) {
        sum -= D[3 * i + m] * Lambda[j][i] + Xdd[3 * i + m] * c.J(b, kEntry[i][j]);
        if (inertia) sum -= f.Xdd[i][m] * inertia->J[kEntry[i][j]];
      }
      R[3 * j + m] = sum;
    }
  }
  for (int r = 0; r < shape.count; ++r) {
    const V4* Q = k.released[index].Q[r];
    Lane along{};
    for (int j = 0; j < 3; ++j) {
      for (int m = 0; m < 3; ++m) along += Q[j][m] * R[3 * j + m];
    }
    for (int j = 0; j < 3; ++j) {
      for (int m = 0; m < 3; ++m) Xdd[3 * j + m] += Q[j][m] * along;
    }
  }
}

void finish_released_directions(const Structure& s, const KernelState& k, DirectionState& d) {
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const JointShape& shape = s.joints[j];
    const Lane* lambda = d.multipliers.data() + 6 * j;
    for (int side = 0; side < 2; ++side) {
      const int index = s.released_index[shape.body[side]];
      if (index < 0) continue;
      const double* E = k.released_columns[j].data() + 48 * side;
      Lane* Xdd = d.lanes[shape.body[side]].Xdd;
      for (int r = 0; r < s.released[index].count; ++r) {
        Lane along{};
        for (int i = 0; i < shape.nrows; ++i) along += E[8 * r + i] * lambda[i];
        const V4* Q = k.released[index].Q[r];
        for (int a = 0; a < 3; ++a) {
          for (int m = 0; m < 3; ++m) Xdd[3 * a + m] -= along * Q[a][m];
        }
      }
    }
  }
}

}  // namespace parfait::mbs
