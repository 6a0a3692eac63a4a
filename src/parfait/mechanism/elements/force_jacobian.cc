#include "parfait/mechanism/elements/force_jacobian.h"

#include <algorithm>

#include "parfait/mechanism/elements/measured_force.h"

namespace parfait::mechanism {

bool reads_column(unsigned use, int column) {
  const int vector = column / 3;  // point, velocity, three axes, three rates, as in EndUse
  return (use & (1u << vector)) != 0;
}

namespace {

using Columns = ForceJacobian;

Dual& entry(Vec3<Dual>& a, int k) {
  return k == 0 ? a.x : k == 1 ? a.y : a.z;
}
const Dual& entry(const Vec3<Dual>& a, int k) {
  return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

double component(const Vec3<double>& a, int k) {
  return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

Vec3<Dual> constant(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}

/// Vector `i` of a frame in the order of the columns.
Vec3<Dual>& vector_of(EndFrame<Dual>& end, int i) {
  return i == 0   ? end.point
         : i == 1 ? end.velocity
         : i < 5  ? end.axis[i - 2]
                  : end.axis_rate[i - 5];
}

void load_frames(const ElementPoint<double>& at, JacobianScratch& scratch) {
  scratch.ends.resize(at.ends.size());
  for (std::size_t e = 0; e < at.ends.size(); ++e) {
    const EndFrame<double>& from = at.ends[e];
    EndFrame<Dual>& to = scratch.ends[e];
    to.point = constant(from.point);
    to.velocity = constant(from.velocity);
    for (int i = 0; i < 3; ++i) {
      to.axis[i] = constant(from.axis[i]);
      to.axis_rate[i] = constant(from.axis_rate[i]);
    }
  }
}

/// The law along s and s' where it has just been evaluated, with its gradient.
Law<Dual> law_at(const Law<double>& law) {
  const auto used = law.formula->used_slots();
  const auto slope = [&](int slot) {
    const auto found = std::find(used.begin(), used.end(), slot);
    return found == used.end() ? 0.0 : law.gradient[found - used.begin()];
  };
  Law<Dual> out;
  out.by_s = slope(0);
  out.by_rate = slope(1);
  out.value = *law.value;
  return out;
}

/// A column that is differentiated along: of an end, or behind those of all ends.
struct Column {
  int index;
  Dual* at;  ///< null: the value of the law
};

}  // namespace

void ForceElement::start(const ElementPoint<double>&, std::span<double>) const {}
void ForceElement::start(const ElementPoint<Dual>&, std::span<Dual>) const {}
void ForceElement::pull(const ElementPoint<double>&, std::span<EndForce<double>>) const {}
void ForceElement::pull(const ElementPoint<Dual>&, std::span<EndForce<Dual>>) const {}

void ForceElement::jacobian(const ElementPoint<double>& at, ForceJacobian& out) const {
  jacobian_by_directions(*this, at, out);
}

void ForceElement::pull_back(const ElementPoint<double>& at, std::span<const double> rows,
                             ForceJacobian& scratch, std::span<double> columns) const {
  jacobian(at, scratch);
  std::ranges::fill(columns, 0.0);
  for (int row = 0; row < scratch.rows(); ++row) {
    const double seed = rows[static_cast<std::size_t>(row)];
    if (seed == 0) continue;
    for (int c = 0; c < scratch.columns(); ++c) {
      columns[static_cast<std::size_t>(c)] += seed * scratch(row, c);
    }
  }
}

void jacobian_by_directions(const ForceElement& element, const ElementPoint<double>& at,
                            ForceJacobian& out) {
  out.resize(at.ends.size(), at.constants.size(), at.states.size());
  JacobianScratch& s = out.scratch();
  load_frames(at, s);
  s.forces.assign(at.ends.size(), {});
  s.constants.assign(at.constants.begin(), at.constants.end());
  s.states.assign(at.states.begin(), at.states.end());
  s.rates.assign(at.states.size(), {});
  ElementPoint<Dual> point{s.ends, s.constants, s.states, at.t, at.mode, nullptr};
  Law<Dual> law;
  if (at.law) {
    // Along s and s' the law has its own slope; everything else in it is the last column.
    s.values.resize(at.ends.size());
    s.value_rates.resize(at.states.size());
    element.act(at, {s.values, s.value_rates});
    law = law_at(*at.law);
    point.law = &law;
  }
  const ElementForces<Dual> forces{s.forces, s.rates};
  std::vector<Column> columns;
  for (int e = 0; e < out.num_ends; ++e) {
    for (int c = 0; c < Columns::kEndColumns; ++c) {
      if (!reads_column(element.use(e), c)) continue;
      Vec3<Dual>& vector = vector_of(s.ends[static_cast<std::size_t>(e)], c / 3);
      columns.push_back({e * Columns::kEndColumns + c, &entry(vector, c % 3)});
    }
  }
  int index = out.first_constant();
  for (Dual& constant : s.constants) columns.push_back({index++, &constant});
  for (Dual& state : s.states) columns.push_back({index++, &state});
  columns.push_back({index++, &point.t});
  if (at.law) columns.push_back({index, nullptr});
  for (std::size_t first = 0; first < columns.size(); first += math::kLanes) {
    const std::size_t count = std::min<std::size_t>(math::kLanes, columns.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      Dual* x = columns[first + i].at;
      (x ? x->d : law.direction)[static_cast<int>(i)] = 1;
    }
    element.act(point, forces);
    for (std::size_t i = 0; i < count; ++i) {
      const auto [column, x] = columns[first + i];
      const int lane = static_cast<int>(i);
      for (int e = 0; e < out.num_ends; ++e) {
        const EndForce<Dual>& end = s.forces[static_cast<std::size_t>(e)];
        const unsigned use = element.use(e);
        const int row = e * Columns::kEndRows;
        for (int k = 0; k < 3; ++k) {
          if (use & kForce) out(row + k, column) = entry(end.force, k).d[lane];
          for (int a = 0; a < 3; ++a) {
            if (!gives_axis_force(use, a)) continue;
            out(row + 3 + 3 * a + k, column) = entry(end.axis[a], k).d[lane];
          }
        }
      }
      for (int j = 0; j < out.num_states; ++j) {
        out(out.first_state_row() + j, column) = s.rates[static_cast<std::size_t>(j)].d[lane];
      }
      (x ? x->d : law.direction)[lane] = 0;
    }
  }
}

namespace {

/// dF along s, s' and the constants, and F.
struct LawGradient {
  double F = 0, by_s = 0, by_rate = 0;
};

LawGradient law_gradient(const MeasuredParts& parts, const ElementPoint<double>& at,
                         const Measured<double>& m, std::vector<Dual>& by_constant) {
  LawGradient out;
  if (at.law) {
    by_constant.assign(at.constants.size(), 0.0);
    out.F = (*at.law)(m.s, m.rate);
    const Law<Dual> law = law_at(*at.law);
    out.by_s = law.by_s;
    out.by_rate = law.by_rate;
    return out;
  }
  by_constant.assign(at.constants.begin(), at.constants.end());
  out.F = parts.law({at.constants.data(), m.s, m.rate});
  const int n = static_cast<int>(at.constants.size()) + 2;
  constexpr int kFew = 16;
  double few[kFew] = {};
  std::vector<double> many(n > kFew ? static_cast<std::size_t>(n) : 0);
  double* const slopes = n > kFew ? many.data() : few;
  for (int first = 0; first < n; first += math::kLanes) {
    const auto unit = [&](int column) {
      Lane d{};
      if (column >= first && column < first + math::kLanes) d[column - first] = 1;
      return d;
    };
    for (int i = 2; i < n; ++i) by_constant[static_cast<std::size_t>(i - 2)].d = unit(i);
    const Dual F = parts.law_directions({by_constant.data(), {m.s, unit(0)}, {m.rate, unit(1)}});
    for (int c = first; c < std::min(first + math::kLanes, n); ++c) {
      slopes[c] = F.d[c - first];
    }
  }
  out.by_s = slopes[0];
  out.by_rate = slopes[1];
  for (int i = 2; i < n; ++i) {
    by_constant[static_cast<std::size_t>(i - 2)] = slopes[i];
  }
  return out;
}

/// A measure's gradient as a list of rows of the Jacobian; the columns of the points and axes are
/// the same with another place for each end.
struct GradientEntry {
  int row, column, rate_column;
  double value;
};

template <class S, class Visit>
void for_gradient(const unsigned (&use)[2], const Measured<S>& m, const Visit& visit) {
  for (int end = 0; end < 2; ++end) {
    for (int k = 0; k < 3; ++k) {
      if (use[end] & kForce) {
        const S n = k == 0 ? m.n.x : k == 1 ? m.n.y : m.n.z;
        visit(end, 0, k, end == 0 ? n : -n);
      }
      for (int a = 0; a < 3; ++a) {
        if (!gives_axis_force(use[end], a)) continue;
        const Vec3<S>& e = m.e[end][a];
        visit(end, 1 + a, k, k == 0 ? e.x : k == 1 ? e.y : e.z);
      }
    }
  }
}

int row_of(int end, int vector, int k) {
  return Columns::kEndRows * end + 3 * vector + k;
}
int column_of(int end, int vector, int k) {
  return Columns::kEndColumns * end + (vector == 0 ? 0 : Columns::kAxisColumn + 3 * (vector - 1)) +
         k;
}
int rate_column_of(int end, int vector, int k) {
  return column_of(end, vector, k) +
         (vector == 0 ? Columns::kVelocityColumn : Columns::kRateColumn - Columns::kAxisColumn);
}

}  // namespace

void measured_jacobian(const MeasuredParts& parts, const ElementPoint<double>& at,
                       ForceJacobian& out) {
  out.resize(2, at.constants.size(), at.states.size());
  JacobianScratch& s = out.scratch();
  const Measured<double> m = parts.measure(at.ends.data());
  const LawGradient law = law_gradient(parts, at, m, s.constants);
  const LawInput<double> in{at.constants.data(), m.s, m.rate};
  if (parts.side.side != Side::kBoth && !parts.side.acts(in, law.F, at.mode)) return;
  std::vector<GradientEntry> gradient;
  for_gradient(parts.use, m, [&](int end, int vector, int k, double value) {
    gradient.push_back(
        {row_of(end, vector, k), column_of(end, vector, k), rate_column_of(end, vector, k), value});
  });
  // s, s' and the gradient along points and axes, one chunk of those that are read at a time.
  load_frames(at, s);
  std::vector<Column> columns;
  for (int e = 0; e < 2; ++e) {
    for (int c = 0; c < Columns::kRateColumn; ++c) {
      const bool is_velocity = c / 3 == 1;
      if (is_velocity || !reads_column(parts.use[e], c)) continue;
      Vec3<Dual>& vector = vector_of(s.ends[static_cast<std::size_t>(e)], c / 3);
      columns.push_back({e * Columns::kEndColumns + c, &entry(vector, c % 3)});
    }
  }
  for (std::size_t first = 0; first < columns.size(); first += math::kLanes) {
    const std::size_t count = std::min<std::size_t>(math::kLanes, columns.size() - first);
    for (std::size_t i = 0; i < count; ++i) columns[first + i].at->d[static_cast<int>(i)] = 1;
    const Measured<Dual> along = parts.measure_directions(s.ends.data());
    for (std::size_t i = 0; i < count; ++i) {
      const int lane = static_cast<int>(i);
      const double dF = law.by_s * along.s.d[lane] + law.by_rate * along.rate.d[lane];
      const int column = columns[first + i].index;
      for (const auto& g : gradient) out(g.row, column) -= g.value * dF;
      for_gradient(parts.use, along, [&](int end, int vector, int k, const Dual& g) {
        out(row_of(end, vector, k), column) -= law.F * g.d[lane];
      });
      columns[first + i].at->d[lane] = 0;
    }
  }
  for (const auto& g : gradient) {
    for (const auto& rate : gradient) {
      out(g.row, rate.rate_column) -= g.value * law.by_rate * rate.value;
    }
    for (int i = 0; i < out.num_constants; ++i) {
      out(g.row, out.first_constant() + i) -= g.value * s.constants[static_cast<std::size_t>(i)].v;
    }
    out(g.row, out.law_column()) = at.law ? -g.value : 0.0;
  }
}

void measured_pull_back(const MeasuredParts& parts, const ElementPoint<double>& at,
                        std::span<const double> rows, ForceJacobian& scratch,
                        std::span<double> columns) {
  scratch.num_ends = 2;
  scratch.num_constants = static_cast<int>(at.constants.size());
  scratch.num_states = static_cast<int>(at.states.size());
  std::ranges::fill(columns, 0.0);
  JacobianScratch& s = scratch.scratch();
  const Measured<double> m = parts.measure(at.ends.data());
  const LawGradient law = law_gradient(parts, at, m, s.constants);
  const LawInput<double> in{at.constants.data(), m.s, m.rate};
  if (parts.side.side != Side::kBoth && !parts.side.acts(in, law.F, at.mode)) return;
  const auto seed = [&](int end, int vector, int k) {
    return rows[static_cast<std::size_t>(row_of(end, vector, k))];
  };
  double sigma = 0;  // how the measure moves along the seeds
  for_gradient(parts.use, m, [&](int end, int vector, int k, double value) {
    sigma += value * seed(end, vector, k);
  });
  // The gradient moves along zeta = F seeds + F_rate sigma velocities: one direction.
  const double by_rate = sigma * law.by_rate;
  load_frames(at, s);
  for (int end = 0; end < 2; ++end) {
    const auto e = static_cast<std::size_t>(end);
    for (int k = 0; k < 3; ++k) {
      if (parts.use[end] & kForce) {
        entry(s.ends[e].point, k).d[0] =
            law.F * seed(end, 0, k) + by_rate * component(at.ends[e].velocity, k);
      }
      for (int a = 0; a < 3; ++a) {
        if (!gives_axis_force(parts.use[end], a)) continue;
        const double rate =
            reads_axis_rate(parts.use[end], a) ? component(at.ends[e].axis_rate[a], k) : 0.0;
        entry(s.ends[e].axis[a], k).d[0] = law.F * seed(end, 1 + a, k) + by_rate * rate;
      }
    }
  }
  const Measured<Dual> along = parts.measure_directions(s.ends.data());
  const double by_s = sigma * law.by_s;
  for_gradient(parts.use, along, [&](int end, int vector, int k, const Dual& g) {
    columns[static_cast<std::size_t>(column_of(end, vector, k))] -= by_s * g.v + g.d[0];
    columns[static_cast<std::size_t>(rate_column_of(end, vector, k))] -= by_rate * g.v;
  });
  for (int i = 0; i < scratch.num_constants; ++i) {
    columns[scratch.first_constant() + i] = -sigma * s.constants[static_cast<std::size_t>(i)].v;
  }
  if (at.law) columns[static_cast<std::size_t>(scratch.law_column())] = -sigma;
}

}  // namespace parfait::mechanism
