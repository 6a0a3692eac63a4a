#include "parfait/estimate/algebraic/algebraic_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/estimate/algebraic/algebraic_table.h"
#include "parfait/estimate/experiment/likelihood.h"
#include "parfait/estimate/linear/row_elimination.h"
#include "parfait/math/finite.h"

namespace parfait::estimate {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<double> row_scales(const ExperimentDescription& description) {
  std::vector<double> scales;
  for (const auto& local : description.row_locals) scales.push_back(local.scale);
  return scales;
}

std::vector<int> unknowns_with_prior(const Unknowns& unknowns) {
  std::vector<int> with_prior;
  for (int i = 0; i < unknowns.size(); ++i) {
    if (unknowns.estimate(i).prior) with_prior.push_back(i);
  }
  return with_prior;
}

}  // namespace

struct AlgebraicExperiment::Impl {
  Impl(const ExperimentDescription& given, const Unknowns& all, const AlgebraicOptions& how)
      : description(given),
        options(how),
        shared(all),
        locals(given.locals),
        table(compile_table(given, all)),
        scales(row_scales(given)),
        priors(unknowns_with_prior(locals)),
        bounds(bound_rows(locals)) {
    for (const CompiledRequirement& requirement : table.requirements) {
      (requirement.inequality ? num_inequalities : num_equations) += 1;
    }
    num_inequalities += static_cast<int>(bounds.size());
    residuals.resize(num_cells() + static_cast<Index>(priors.size()));
    equations.resize(num_equations);
    inequalities.resize(num_inequalities);
    slots.assign(static_cast<std::size_t>(table.layout.size()), 0.0);
    dslots = slots;
    scratch.assign(table.scratch, 0.0);
    gradient.assign(slots.size(), 0.0);
    const auto sets = static_cast<std::size_t>(table.layout.sets());
    for (std::size_t i = 0; i < description.sets.size(); ++i) {
      slots[sets + i] = description.sets[i].value;
    }
    if (eliminates()) eliminations.resize(table.rows.size());
    make_layout();
    noise.model.resize(residuals.size());
    noise.sigma.resize(residuals.size());
  }

  void make_layout() {
    ExperimentLayout& out = experiment_layout;
    out.id = description.id;
    out.locals = locals;
    out.variables = locals.names();
    for (const auto& row : table.rows) {
      for (const auto& local : description.row_locals) {
        out.variables.push_back(fmt::format("{}[{}]", local.parameter, row.number + 1));
      }
    }
    for (const Measurement& cell : table.cells) {
      const Observation& o = description.observations[cell.observation];
      out.residuals.push_back({.column = o.column,
                               .t = cell.row + 1.0,
                               .measured = cell.value,
                               .sigma = cell.sigma,
                               .has_kink = o.noise.distribution == Noise::Distribution::kLaplace});
    }
    make_likelihood();
    for (const int i : priors) {
      const Estimate& local = locals.estimate(i);
      out.residuals.push_back({.column = local.parameter,
                               .measured = local.prior->value,
                               .sigma = local.prior->sigma,
                               .prior = true});
    }
  }

  /// Rows of a likelihood, unless all errors are normal with a constant sigma.
  void make_likelihood() {
    const auto& observations = description.observations;
    if (std::ranges::all_of(observations, [](const Observation& o) {
          return !is_likelihood(o) && o.noise.scale == ValueScale::kLinear;
        })) {
      return;
    }
    for (const Measurement& cell : table.cells) {
      const Observation& o = observations[static_cast<std::size_t>(cell.observation)];
      const auto& sigma = table.sigmas[static_cast<std::size_t>(cell.observation)];
      likelihood.add({.noise = o.noise,
                      .measured = cell.value,
                      .group = cell.observation,
                      .sigma_varies = sigma.has_value(),
                      .sigma_is_log = sigma && is_of_log_parameters(*sigma)});
      experiment_layout.is_likelihood |= is_likelihood(o);
    }
    experiment_layout.num_noise_rows = likelihood.num_noise_rows();
  }

  bool is_of_log_parameters(const expr::Formula& formula) const {
    const SlotLayout& layout = table.layout;
    return std::ranges::all_of(formula.used_slots(), [&](int slot) {
      if (slot < layout.locals()) return false;
      if (slot < layout.shared()) return locals.is_log(slot - layout.locals());
      if (slot < layout.sets()) return shared.is_log(slot - layout.shared());
      return slot < layout.columns();
    });
  }

  /// Sigma of a cell at the present slots.
  double sigma_of(const Measurement& cell) {
    const auto& formula = table.sigmas[static_cast<std::size_t>(cell.observation)];
    return formula ? formula->value(slots.data(), scratch.data()) : cell.sigma;
  }

  bool compute_likelihood() {
    const Index n = num_cells();
    const auto failure = likelihood.evaluate(noise.model.head(n), noise.sigma.head(n));
    if (failure.row >= 0) {
      const Measurement& cell = table.cells[static_cast<std::size_t>(failure.row)];
      return fail(fmt::format("{}, column \"{}\": {}", row_text(description.data, cell.row),
                              description.observations[cell.observation].column, failure.why));
    }
    residuals.head(n) = likelihood.residuals();
    noise.cost = likelihood.cost();
    noise.data = likelihood.data();
    for (Index i = n; i < residuals.size(); ++i) {
      const double sigma = experiment_layout.residuals[static_cast<std::size_t>(i)].sigma;
      noise.sigma[i] = sigma;
      noise.model[i] =
          experiment_layout.residuals[static_cast<std::size_t>(i)].measured + sigma * residuals[i];
      noise.cost += normal_cost(residuals[i], sigma);
      noise.data += std::pow(noise.model[i] / sigma, 2);
    }
    return true;
  }

  /// The rows of y become those of the likelihood, and rows of sigma follow all others.
  bool weigh_rows(VecIn x) {
    likelihood.freeze(expected_information);
    noise.unit = noise.sigma;
    for (int i = 0; i < likelihood.size(); ++i) {
      const double factor = likelihood.by_model(i);
      noise.unit[i] = 1 / factor;
      block.A.row(i) *= factor;
      block.B.row(i) *= factor;
    }
    Eigen::RowVectorXd own_row(num_row()), local_row(locals.size()), shared_row(shared.size());
    Index at = residuals.size();
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const auto& row = table.rows[r];
      set_row(r, x);
      for (int k = row.first; k < row.first + row.count; ++k) {
        if (!likelihood.row(k).sigma_varies) continue;
        const auto observation = table.cells[static_cast<std::size_t>(k)].observation;
        own_row.setZero();
        local_row.setZero();
        shared_row.setZero();
        differentiate(*table.sigmas[static_cast<std::size_t>(observation)], likelihood.by_sigma(k),
                      own_row, local_row, shared_row);
        if (!math::all_finite(local_row) || !math::all_finite(shared_row)) {
          return fail(fmt::format("{}: the derivative of sigma is not finite",
                                  row_text(description.data, row.number)));
        }
        block.A.row(at).head(locals.size()) = local_row;
        block.B.row(at++) = shared_row;
      }
    }
    return true;
  }

  Index num_cells() const { return static_cast<Index>(table.cells.size()); }
  int num_row() const { return table.layout.num_row; }
  int num_own() const { return locals.size() + num_row() * static_cast<int>(table.rows.size()); }
  bool eliminates() const { return options.eliminate_rows && num_row() > 0; }
  int num_xi() const { return eliminates() ? locals.size() : num_own(); }
  int num_condensed() const { return num_xi() + shared.size(); }

  // The parameters of all rows.
  void set_parameters(VecIn x, VecIn p) {
    const SlotLayout& layout = table.layout;
    locals.values(x.head(locals.size()), slots.data() + layout.locals());
    shared.values(p, slots.data() + layout.shared());
    locals.derivatives(x.head(locals.size()), dslots.data() + layout.locals());
    shared.derivatives(p, dslots.data() + layout.shared());
  }

  void set_columns(int row) {
    for (int c = 0; c < table.layout.num_columns; ++c) {
      const int slot = table.layout.columns() + c;
      slots[static_cast<std::size_t>(slot)] =
          description.data.columns[static_cast<std::size_t>(c)][static_cast<std::size_t>(row)];
    }
  }

  void set_row(std::size_t r, VecIn x) {
    set_columns(table.rows[r].number);
    const Index first = locals.size() + static_cast<Index>(r) * num_row();
    for (int j = 0; j < num_row(); ++j) {
      const double scale = scales[static_cast<std::size_t>(j)];
      slots[static_cast<std::size_t>(j)] = scale * x[first + j];
      dslots[static_cast<std::size_t>(j)] = scale;
    }
  }

  bool fail(std::string reason) {
    why = fmt::format("experiment \"{}\": {}", description.id, reason);
    return false;
  }

  bool not_finite(const AlgebraicTable::Row& row, const expr::Formula& quantity) {
    return fail(fmt::format("{}: \"{}\" is not finite", row_text(description.data, row.number),
                            quantity.text()));
  }

  /// Adds to `own` (a row over the row's unknowns), `local` and `shared_row` the derivative of a
  /// formula at the present slots, times `factor`; returns its value.
  double differentiate(const expr::Formula& formula, double factor,
                       Eigen::Ref<Eigen::RowVectorXd> own, Eigen::Ref<Eigen::RowVectorXd> local,
                       Eigen::Ref<Eigen::RowVectorXd> shared_row) {
    const double value = formula.gradient(slots.data(), scratch.data(), gradient.data());
    const SlotLayout& layout = table.layout;
    const auto used = formula.used_slots();
    for (std::size_t j = 0; j < used.size(); ++j) {
      const int slot = used[j];
      if (slot >= layout.sets()) break;  // ascending: sets and columns do not vary
      const double d = factor * gradient[j] * dslots[static_cast<std::size_t>(slot)];
      if (slot < layout.locals()) {
        own[slot] += d;
      } else if (slot < layout.shared()) {
        local[slot - layout.locals()] += d;
      } else {
        shared_row[slot - layout.shared()] += d;
      }
    }
    return value;
  }

  bool compute_values(VecIn x, VecIn p) {
    set_parameters(x, p);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const auto& row = table.rows[r];
      set_row(r, x);
      for (int k = row.first; k < row.first + row.count; ++k) {
        const Measurement& cell = table.cells[static_cast<std::size_t>(k)];
        const auto& quantity = table.quantities[static_cast<std::size_t>(cell.observation)];
        const double model = quantity.value(slots.data(), scratch.data());
        if (!std::isfinite(model)) return not_finite(row, quantity);
        if (likelihood.empty()) {
          residuals[k] = (model - cell.value) / cell.sigma;
        } else {
          noise.model[k] = model;
          noise.sigma[k] = sigma_of(cell);
        }
      }
    }
    for (std::size_t k = 0; k < priors.size(); ++k) {
      const Prior& prior = *locals.estimate(priors[k]).prior;
      const double value = locals.value_of(priors[k], x[priors[k]]);
      residuals[num_cells() + static_cast<Index>(k)] =
          (transformed(prior.scale, value) - prior.value) / prior.sigma;
    }
    if (!likelihood.empty() && !compute_likelihood()) return false;
    return compute_requirements(x);
  }

  bool compute_requirements(VecIn x) {
    Index equation = 0, inequality = 0;
    for (const CompiledRequirement& requirement : table.requirements) {
      double sum = 0;
      for (const auto& term : requirement.terms) sum += term.value(slots.data(), scratch.data());
      if (!std::isfinite(sum)) {
        return fail(fmt::format("requirement \"{}\" is not finite", requirement.text));
      }
      (requirement.inequality ? inequalities[inequality++] : equations[equation++]) = sum;
    }
    for (const BoundRow& bound : bounds) inequalities[inequality++] = bound_value(locals, bound, x);
    return true;
  }

  /// Derivatives at the point of compute_values(), as J_own per row, and J over (xi, p).
  bool compute_block(VecIn x) {
    Index left = static_cast<Index>(priors.size());
    const int num_locals = locals.size();
    MatrixXd own = MatrixXd::Zero(num_cells(), num_row());
    MatrixXd local = MatrixXd::Zero(num_cells(), num_locals);
    MatrixXd others = MatrixXd::Zero(num_cells(), shared.size());
    Eigen::RowVectorXd own_row(num_row()), local_row(num_locals), shared_row(shared.size());
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const auto& row = table.rows[r];
      set_row(r, x);
      for (int k = row.first; k < row.first + row.count; ++k) {
        const Measurement& cell = table.cells[static_cast<std::size_t>(k)];
        const auto& quantity = table.quantities[static_cast<std::size_t>(cell.observation)];
        own_row.setZero();
        local_row.setZero();
        shared_row.setZero();
        differentiate(quantity, likelihood.empty() ? 1 / cell.sigma : 1, own_row, local_row,
                      shared_row);
        own.row(k) = own_row;
        local.row(k) = local_row;
        others.row(k) = shared_row;
        if (!(math::all_finite(own_row) && math::all_finite(local_row) &&
              math::all_finite(shared_row))) {
          return fail(fmt::format("{}: the derivative of \"{}\" is not finite",
                                  row_text(description.data, row.number), quantity.text()));
        }
      }
      if (eliminates()) {
        MatrixXd B(row.count, num_condensed());
        B << local.middleRows(row.first, row.count), others.middleRows(row.first, row.count);
        eliminations[r].factorize(own.middleRows(row.first, row.count), B, options.rank_tolerance);
        left += eliminations[r].num_left();
      } else {
        left += row.count;
      }
    }
    block = Block::zero(num_xi(), shared.size(), left + experiment_layout.num_noise_rows,
                        num_equations, num_inequalities);
    fill_data(own, local, others, x);
    if (!likelihood.empty() && !weigh_rows(x)) return false;
    if (!fill_requirements()) return false;
    block.right = condensed();
    return true;
  }

  void fill_data(const MatrixXd& own, const MatrixXd& local, const MatrixXd& others, VecIn x) {
    Index at = 0;
    if (eliminates()) {
      for (const RowElimination& elimination : eliminations) {
        const Index n = elimination.num_left();
        block.A.middleRows(at, n) = elimination.left().leftCols(num_xi());
        block.B.middleRows(at, n) = elimination.left().rightCols(shared.size());
        at += n;
      }
    } else {
      at = num_cells();
      block.A.topLeftCorner(at, locals.size()) = local;
      block.B.topRows(at) = others;
      for (std::size_t r = 0; r < table.rows.size(); ++r) {
        const auto& row = table.rows[r];
        block.A.block(row.first, locals.size() + static_cast<Index>(r) * num_row(), row.count,
                      num_row()) = own.middleRows(row.first, row.count);
      }
    }
    for (const int i : priors) {
      const Prior& prior = *locals.estimate(i).prior;
      const double slope = transformed_slope(prior.scale, locals.value_of(i, x[i]));
      block.A(at++, i) = slope * locals.derivative_of(i, x[i]) / prior.sigma;
    }
  }

  bool fill_requirements() {
    Eigen::RowVectorXd none(num_row()), local_row(locals.size()), shared_row(shared.size());
    Index equation = 0, inequality = 0;
    for (const CompiledRequirement& requirement : table.requirements) {
      local_row.setZero();
      shared_row.setZero();
      for (const auto& term : requirement.terms) {
        differentiate(term, 1, none, local_row, shared_row);
      }
      if (!math::all_finite(local_row) || !math::all_finite(shared_row)) {
        return fail(
            fmt::format("the derivative of requirement \"{}\" is not finite", requirement.text));
      }
      if (requirement.inequality) {
        block.E.row(inequality).head(locals.size()) = local_row;
        block.F.row(inequality++) = shared_row;
      } else {
        block.C.row(equation).head(locals.size()) = local_row;
        block.D.row(equation++) = shared_row;
      }
    }
    for (const BoundRow& bound : bounds) block.E(inequality++, bound.unknown) = bound_sign(bound);
    return true;
  }

  /// The values of the last point, with the eliminations of the last linearization.
  RightSide condensed() const {
    RightSide right{.b = VectorXd(block.A.rows()), .c = equations, .e = inequalities};
    Index at = 0;
    if (eliminates()) {
      for (std::size_t r = 0; r < table.rows.size(); ++r) {
        const auto& row = table.rows[r];
        right.b.segment(at, eliminations[r].num_left()) =
            eliminations[r].reduce(residuals.segment(row.first, row.count));
        at += eliminations[r].num_left();
      }
    } else {
      right.b.head(num_cells()) = residuals.head(num_cells());
      at = num_cells();
    }
    right.b.segment(at, residuals.size() - num_cells()) =
        residuals.tail(residuals.size() - num_cells());
    Index noise_row = residuals.size();
    for (int i = 0; i < likelihood.size(); ++i) {
      right.b[i] = likelihood.b1(i);
      if (likelihood.row(i).sigma_varies) right.b[noise_row++] = likelihood.b2(i);
    }
    return right;
  }

  ExperimentDescription description;
  AlgebraicOptions options;
  Unknowns shared, locals;
  AlgebraicTable table;
  std::vector<double> scales;  // of the row's unknowns
  std::vector<int> priors;
  std::vector<BoundRow> bounds;
  int num_equations = 0, num_inequalities = 0;
  ExperimentLayout experiment_layout;
  LikelihoodRows likelihood;  // of the cells; empty: squares of residuals
  NoiseValues noise;
  bool expected_information = false;

  // Values and derivatives dp/dx in the layout of the slots; scratch of the formulas.
  std::vector<double> slots, dslots, scratch, gradient;

  VectorXd residuals, equations, inequalities;
  std::string why;
  Work work;
  Block block;
  std::vector<RowElimination> eliminations;
};

AlgebraicExperiment::AlgebraicExperiment(const ExperimentDescription& description,
                                         const Unknowns& shared, const AlgebraicOptions& options)
    : impl_(std::make_unique<Impl>(description, shared, options)) {}
AlgebraicExperiment::~AlgebraicExperiment() = default;

const ExperimentLayout& AlgebraicExperiment::layout() const {
  return impl_->experiment_layout;
}

bool AlgebraicExperiment::initialize(VecIn p, VectorXd& x) {
  Impl& m = *impl_;
  x.setZero(impl_->num_own());
  x.head(m.locals.size()) = m.locals.initial();
  m.set_parameters(x, p);
  Index at = m.locals.size();
  for (const auto& row : m.table.rows) {
    m.set_columns(row.number);
    for (std::size_t j = 0; j < m.table.guesses.size(); ++j) {
      const auto& guess = m.table.guesses[j];
      const double value = guess.value(m.slots.data(), m.scratch.data());
      if (!std::isfinite(value)) return m.not_finite(row, guess);
      x[at++] = value / m.scales[j];
    }
  }
  return true;
}

bool AlgebraicExperiment::evaluate(VecIn x, VecIn p) {
  return impl_->compute_values(x, p);
}

bool AlgebraicExperiment::linearize(VecIn x, VecIn p) {
  ++impl_->work.linearizations;
  return impl_->compute_values(x, p) && impl_->compute_block(x);
}

std::string AlgebraicExperiment::why() const {
  return impl_->why;
}
const VectorXd& AlgebraicExperiment::residuals() const {
  return impl_->residuals;
}

const NoiseValues* AlgebraicExperiment::noise() const {
  return impl_->likelihood.empty() ? nullptr : &impl_->noise;
}

void AlgebraicExperiment::set_expected_information(bool expected) {
  impl_->expected_information = expected;
}

double AlgebraicExperiment::infeasibility() const {
  const Impl& m = *impl_;
  double worst = 0;
  if (m.equations.size() > 0) worst = m.equations.cwiseAbs().maxCoeff();
  if (m.inequalities.size() > 0) worst = std::max(worst, -m.inequalities.minCoeff());
  return worst;
}

const Block& AlgebraicExperiment::block() const {
  return impl_->block;
}
RightSide AlgebraicExperiment::right_side() const {
  return impl_->condensed();
}

VectorXd AlgebraicExperiment::expand(VecIn xi, VecIn p, bool with_values) const {
  const Impl& m = *impl_;
  VectorXd dx = VectorXd::Zero(impl_->num_own());
  dx.head(xi.size()) = xi;
  if (!m.eliminates()) return dx;
  VectorXd y(m.num_condensed());
  y << xi, p;
  Index at = m.locals.size();
  for (std::size_t r = 0; r < m.table.rows.size(); ++r) {
    const auto& row = m.table.rows[r];
    const VectorXd b = with_values ? VectorXd(m.residuals.segment(row.first, row.count))
                                   : VectorXd(VectorXd::Zero(row.count));
    dx.segment(at, m.num_row()) = m.eliminations[r].solve(y, b);
    at += m.num_row();
  }
  return dx;
}

VectorXd AlgebraicExperiment::into_bounds(VecIn x) const {
  VectorXd inside = x;
  const Unknowns& locals = impl_->locals;
  inside.head(locals.size()) =
      x.head(locals.size()).cwiseMax(locals.lower()).cwiseMin(locals.upper());
  return inside;
}

Work AlgebraicExperiment::work() const {
  return impl_->work;
}

VectorXd AlgebraicExperiment::leverages(MatIn covariance) const {
  const Impl& m = *impl_;
  if (!m.eliminates()) return Experiment::leverages(covariance);
  MatrixXd J(m.block.A.rows(), m.num_condensed());
  J << m.block.A, m.block.B;
  VectorXd h(m.residuals.size());
  Index at = 0;
  for (std::size_t r = 0; r < m.table.rows.size(); ++r) {
    // The row's unknowns follow the measurements in the range of A, the projector I - Q2 Q2^T.
    const auto& row = m.table.rows[r];
    const MatrixXd& Q2 = m.eliminations[r].Q2();
    const MatrixXd G = Q2 * J.middleRows(at, Q2.cols());
    h.segment(row.first, row.count) = VectorXd::Ones(row.count) - Q2.rowwise().squaredNorm() +
                                      VectorXd((G * covariance).cwiseProduct(G).rowwise().sum());
    at += Q2.cols();
  }
  const MatrixXd rest = J.bottomRows(J.rows() - at);
  h.tail(rest.rows()) = (rest * covariance).cwiseProduct(rest).rowwise().sum();
  return h;
}

}  // namespace parfait::estimate
