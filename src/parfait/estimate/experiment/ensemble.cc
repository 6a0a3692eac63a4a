#include "parfait/estimate/experiment/ensemble.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "parfait/estimate/experiment/likelihood.h"
#include "parfait/estimate/linear/packing.h"

namespace parfait::estimate {

using Eigen::Index;
using Eigen::VectorXd;

Ensemble::Ensemble(Unknowns shared, const std::vector<Requirement>& requirements,
                   std::vector<std::unique_ptr<Experiment>> experiments,
                   const LinearFitOptions& options, Team& team)
    : shared_(std::move(shared)),
      shared_block_(shared_, requirements),
      experiments_(std::move(experiments)),
      options_(options),
      team_(team) {
  offsets_.push_back(shared_.size());
  for (const auto& experiment : experiments_) {
    offsets_.push_back(offsets_.back() + experiment->layout().num_variables());
    is_likelihood_ |= experiment->layout().is_likelihood;
  }
  const std::size_t n = experiments_.size();
  blocks_.resize(n + 1);
  rights_.resize(n + 1);
  residuals_.resize(n + 1);
  infeasibility_.resize(n + 1);
  relative_infeasibility_.resize(n + 1);
  failures_.resize(n);
  noise_values_.resize(n);
}

Ensemble::~Ensemble() = default;

void Ensemble::set_requirements(const std::vector<Requirement>& requirements) {
  shared_block_.set_requirements(requirements);
  working_set_ = {};
  damping_ = 0;
  weights_.resize(0);
  curved_ = {};
  at_linearization_ = linearized_ = false;
  point_.resize(0);
}

void Ensemble::set_expected_information(bool expected) {
  for (const auto& experiment : experiments_) experiment->set_expected_information(expected);
}

VectorXd Ensemble::variables_of(int e, VecIn x) const {
  return x.segment(offset_of(e), offsets_[static_cast<std::size_t>(e) + 1] - offset_of(e));
}

bool Ensemble::initialize(VectorXd& x) {
  x.resize(num_variables());
  x.head(shared_.size()) = shared_.initial();
  std::vector<std::vector<double>> parts(experiments_.size());
  tbb::parallel_for(0, num_experiments(), [&](int e) {
    if (!team_.owns(e)) return;
    const auto i = static_cast<std::size_t>(e);
    VectorXd local;
    const bool ok = experiments_[i]->initialize(shared_.initial(), local);
    Packer packer(parts[i]);
    packer.put(ok ? std::string() : experiments_[i]->why());
    packer.put(local);
  });
  team_.exchange(parts);
  for (int e = 0; e < num_experiments(); ++e) {
    VectorXd local;
    std::string failure;
    Unpacker unpacker(parts[static_cast<std::size_t>(e)]);
    unpacker.get(failure);
    unpacker.get(local);
    if (!failure.empty()) {
      why_ = failure;
      return false;
    }
    x.segment(offset_of(e), local.size()) = local;
  }
  return true;
}

/// All experiments at a point: values, or values and blocks.
Ensemble::Values Ensemble::visit(VecIn x, bool with_derivatives) {
  at_linearization_ = with_derivatives;
  visited_ = x;
  why_.clear();
  const VectorXd p = x.head(shared_.size());
  Block own;
  if (!shared_block_.evaluate(p, own)) {
    why_ = "a requirement of the parameters is not finite";
    return {};
  }
  residuals_[0] = own.right.b;
  rights_[0] = own.right;
  infeasibility_[0] = 0;
  if (own.right.c.size() > 0) infeasibility_[0] = own.right.c.cwiseAbs().maxCoeff();
  if (own.right.e.size() > 0) {
    infeasibility_[0] = std::max(infeasibility_[0], -own.right.e.minCoeff());
  }
  relative_infeasibility_[0] = infeasibility_[0];
  if (with_derivatives) blocks_[0] = std::move(own);

  // Each writes only to its own place: the numbers do not depend on the number of threads.
  tbb::parallel_for(0, num_experiments(), [&](int e) {
    if (!team_.owns(e)) return;
    const auto i = static_cast<std::size_t>(e);
    Experiment& experiment = *experiments_[i];
    const VectorXd local = variables_of(e, x);
    const bool exists =
        with_derivatives ? experiment.linearize(local, p) : experiment.evaluate(local, p);
    failures_[i] = exists ? "" : experiment.why();
    if (!exists) return;
    residuals_[i + 1] = experiment.residuals();
    if (const NoiseValues* noise = experiment.noise()) noise_values_[i] = *noise;
    infeasibility_[i + 1] = experiment.infeasibility();
    relative_infeasibility_[i + 1] = experiment.relative_infeasibility();
    if (with_derivatives) {
      blocks_[i + 1] = experiment.block();
      rights_[i + 1] = experiment.block().right;
    } else if (linearized_) {
      rights_[i + 1] = experiment.right_side();
    }
  });
  linearized_ = linearized_ || with_derivatives;
  if (team_.size() > 1) exchange(with_derivatives);

  for (const auto& failure : failures_) {
    if (!failure.empty() && why_.empty()) why_ = failure;
  }
  if (!why_.empty()) return {};
  const double infeasibility = *std::ranges::max_element(infeasibility_);
  const double value = is_likelihood_ ? likelihood_objective() : objective(residuals());
  if (!std::isfinite(value) || !std::isfinite(infeasibility)) {
    why_ = what_is_not_finite();
    return {};
  }
  double offset = 0;
  if (is_likelihood_) {
    offset = value;
    for (const RightSide& right : rights_) offset -= right.b.squaredNorm();
  }
  return {.exists = true,
          .defined = true,
          .objective = value,
          .offset = offset,
          .infeasibility = infeasibility,
          .relative_infeasibility = *std::ranges::max_element(relative_infeasibility_)};
}

std::string Ensemble::what_is_not_finite() const {
  for (int e = 0; e < num_experiments(); ++e) {
    const ExperimentLayout& layout = experiment(e).layout();
    const VectorXd& r = residuals_of(e);
    for (Index i = 0; i < std::min<Index>(r.size(), std::ssize(layout.residuals)); ++i) {
      if (std::isfinite(r[i])) continue;
      const ResidualInfo& info = layout.residuals[static_cast<std::size_t>(i)];
      return fmt::format("experiment \"{}\": the residual of \"{}\" at {:g} is not finite",
                         layout.id, info.column, info.t);
    }
    if (!std::isfinite(infeasibility_[static_cast<std::size_t>(e) + 1])) {
      return fmt::format("experiment \"{}\": an equation is not finite", layout.id);
    }
  }
  return "the sum of the squares of residuals is not finite";
}

void Ensemble::exchange(bool with_derivatives) {
  std::vector<std::vector<double>> parts(experiments_.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!team_.owns(static_cast<int>(i))) continue;
    Packer packer(parts[i]);
    packer.put(failures_[i]);
    if (!failures_[i].empty()) continue;
    packer.put(infeasibility_[i + 1]);
    packer.put(relative_infeasibility_[i + 1]);
    packer.put(residuals_[i + 1]);
    const NoiseValues& noise = noise_values_[i];
    packer.put(noise.model);
    packer.put(noise.sigma);
    packer.put(noise.unit);
    packer.put(noise.cost);
    packer.put(noise.data);
    packer.put(rights_[i + 1]);
    if (with_derivatives) packer.put(blocks_[i + 1]);
  }
  team_.exchange(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (team_.owns(static_cast<int>(i))) continue;
    Unpacker unpacker(parts[i]);
    unpacker.get(failures_[i]);
    if (!failures_[i].empty()) continue;
    unpacker.get(infeasibility_[i + 1]);
    unpacker.get(relative_infeasibility_[i + 1]);
    unpacker.get(residuals_[i + 1]);
    NoiseValues& noise = noise_values_[i];
    unpacker.get(noise.model);
    unpacker.get(noise.sigma);
    unpacker.get(noise.unit);
    unpacker.get(noise.cost);
    unpacker.get(noise.data);
    unpacker.get(rights_[i + 1]);
    if (with_derivatives) unpacker.get(blocks_[i + 1]);
  }
}

Ensemble::Values Ensemble::evaluate(VecIn x) {
  return visit(x, false);
}

Ensemble::Values Ensemble::linearize(VecIn x) {
  const VectorXd from = std::move(point_);
  point_.resize(0);
  const bool learns = curved_.on && curved_.step && from.size() == x.size();
  std::vector<Block> before;
  std::vector<RightSide> here;  // the values at x, in the rows of `before`; none of a likelihood
  if (learns) {
    if (!is_likelihood_) {
      if ((at_linearization_ || visited_ != x) && !visit(x, false).exists) return {};
      here = rights_;
    }
    before = blocks_;
  }
  Values values = visit(x, true);
  if (!values.exists) return values;
  sizes_ = variable_sizes(x);
  std::vector<Block> free;
  if (unbounded_) {
    free = blocks_;
    for (Block& block : free) {
      block.E.resize(0, block.E.cols());
      block.F.resize(0, block.F.cols());
      block.right.e.resize(0);
    }
  }
  const auto status =
      linear_.factorize(unbounded_ ? free : blocks_, options_, working_set_, sizes_);
  if (status != LinearFit::Status::kSolved) {
    why_ = text(status);
    values.exists = false;
    return values;
  }
  working_set_ = linear_.working_set();
  point_ = x;
  const double objective_before = objective_;
  objective_ = values.objective;
  offset_ = values.offset;
  if (curved_.on) {
    update_damping_scales();
  }
  if (learns) learn(before, here, from, x, objective_before);
  curved_.step.reset();
  if (weights_.size() == 0 && options_.scale_columns) set_weights(x);
  return values;
}

double Ensemble::likelihood_objective() const {
  double sum = 0;
  const auto add_normal = [&](const std::vector<ResidualInfo>& infos, const VectorXd& r) {
    for (std::size_t k = 0; k < infos.size(); ++k) {
      sum += normal_cost(r[static_cast<Index>(k)], infos[k].sigma);
    }
  };
  add_normal(shared_block_.residual_infos(), residuals_[0]);
  for (std::size_t i = 0; i < experiments_.size(); ++i) {
    if (noise_values_[i].model.size() > 0) {
      sum += noise_values_[i].cost;
    } else {
      add_normal(experiments_[i]->layout().residuals, residuals_[i + 1]);
    }
  }
  return sum;
}

double Ensemble::objective(VecIn r) const {
  switch (options_.norm) {
    case Norm::kL2:
      return r.squaredNorm();
    case Norm::kL1:
      return r.lpNorm<1>();
    case Norm::kLInf:
      return r.size() > 0 ? r.lpNorm<Eigen::Infinity>() : 0;
    case Norm::kHuber: {
      const double gamma = options_.huber_gamma;
      double sum = 0;
      for (double x : r) {
        sum += std::abs(x) <= gamma ? x * x : gamma * (2 * std::abs(x) - gamma);
      }
      return sum;
    }
  }
  return 0;
}

VectorXd Ensemble::residuals() const {
  Index size = 0;
  for (const auto& r : residuals_) size += r.size();
  VectorXd all(size);
  Index at = 0;
  for (const auto& r : residuals_) {
    all.segment(at, r.size()) = r;
    at += r.size();
  }
  return all;
}

VectorXd Ensemble::expand(const LinearSolution& solution, bool with_values) {
  std::vector<std::vector<double>> parts(experiments_.size());
  tbb::parallel_for(0, num_experiments(), [&](int e) {
    if (!team_.owns(e)) return;
    const auto i = static_cast<std::size_t>(e);
    const VectorXd dx = experiments_[i]->expand(solution.xi[i + 1], solution.p, with_values);
    parts[i].assign(dx.data(), dx.data() + dx.size());
  });
  team_.exchange(parts);
  VectorXd dx(num_variables());
  dx.head(shared_.size()) = solution.p;
  for (int e = 0; e < num_experiments(); ++e) {
    const auto& part = parts[static_cast<std::size_t>(e)];
    dx.segment(offset_of(e), static_cast<Index>(part.size())) =
        Eigen::Map<const VectorXd>(part.data(), static_cast<Index>(part.size()));
  }
  return dx;
}

VectorXd Ensemble::increment() {
  if (!at_linearization_) return expand(linear_.solve(rights_), true);
  return expand(curved_.step ? *curved_.step : linear_.solution(), true);
}

VectorXd Ensemble::remainder() {
  const LinearSolution& solution = linear_.solution();
  Index size = 0;
  for (const Block& block : blocks_) size += block.A.rows();
  VectorXd all(size);
  Index at = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    all.segment(at, block.A.rows()) =
        block.A * solution.xi[i] + block.B * solution.p + block.right.b;
    at += block.A.rows();
  }
  return all;
}

VectorXd Ensemble::increment_of(VecIn r1) {
  std::vector<RightSide> rights(blocks_.size());
  Index at = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    rights[i].b = r1.segment(at, block.A.rows());
    rights[i].c = VectorXd::Zero(block.C.rows());
    rights[i].e = VectorXd::Zero(block.E.rows());
    at += block.A.rows();
  }
  return expand(linear_.solve(rights), false);
}

bool Ensemble::damp(double lambda) {
  if (is_curved()) {
    static const std::vector<Eigen::MatrixXd> kNone;
    CurvedStep step = solve_curved(blocks_, prefers_curvature() ? curved_.secant.matrices() : kNone,
                                   curved_.damping, lambda, options_);
    if (!step.solved) return false;
    curved_.step = std::move(step.solution);
    curved_.decrease = step.decrease;
    at_linearization_ = true;
    return true;
  }
  // D is one number for all variables, the largest column norm at the first point: they are scaled,
  // and norms of single columns change by orders of magnitude on the way from a far start.
  if (damping_ == 0) {
    VectorXd shared = VectorXd::Zero(shared_.size());
    for (const Block& block : blocks_) {
      shared += block.B.colwise().squaredNorm().transpose();
      if (block.A.size() > 0) {
        damping_ = std::max(damping_, block.A.colwise().norm().maxCoeff());
      }
    }
    if (shared.size() > 0) damping_ = std::max(damping_, std::sqrt(shared.maxCoeff()));
    if (damping_ == 0) damping_ = 1;
  }
  damped_blocks_ = blocks_;
  for (std::size_t i = 0; i < blocks_.size() && lambda > 0; ++i) {
    Block& block = damped_blocks_[i];
    const Index rows = block.A.rows();
    const Index more = i == 0 ? block.num_shared() : block.num_local();
    block.A.conservativeResize(rows + more, Eigen::NoChange);
    block.B.conservativeResize(rows + more, Eigen::NoChange);
    block.right.b.conservativeResize(rows + more);
    block.A.bottomRows(more).setZero();
    block.B.bottomRows(more).setZero();
    block.right.b.tail(more).setZero();
    (i == 0 ? block.B : block.A)
        .bottomRows(more)
        .diagonal()
        .setConstant(std::sqrt(lambda) * damping_);
  }
  at_linearization_ = true;
  const bool solved = linear_.factorize(damped_blocks_, options_, working_set_, sizes_) ==
                      LinearFit::Status::kSolved;
  if (solved) working_set_ = linear_.working_set();
  return solved;
}

VectorXd Ensemble::into_bounds(VecIn x) const {
  VectorXd out = x;
  for (int i = 0; i < shared_.size(); ++i) {
    out[i] = std::clamp(out[i], shared_.lower()[i], shared_.upper()[i]);
  }
  for (int e = 0; e < num_experiments(); ++e) {
    const VectorXd local = variables_of(e, x);
    out.segment(offset_of(e), local.size()) = experiment(e).into_bounds(local);
  }
  return out;
}

double Ensemble::longest_step(VecIn dx) const {
  constexpr double kFactor = 100;  // by which a step may change a parameter with log
  double largest = 0;
  for (int i = 0; i < shared_.size(); ++i) {
    if (shared_.is_log(i)) largest = std::max(largest, shared_.scale(i) * std::abs(dx[i]));
  }
  for (int e = 0; e < num_experiments(); ++e) {
    const ExperimentLayout& layout = experiment(e).layout();
    for (int i = 0; i < layout.locals.size(); ++i) {
      if (!layout.locals.is_log(i)) continue;
      const double change = dx[offset_of(e) + layout.first_local + i];
      largest = std::max(largest, layout.locals.scale(i) * std::abs(change));
    }
  }
  return std::min(1.0, std::log(kFactor) / largest);
}

VectorXd Ensemble::correction() {
  std::vector<RightSide> rights = rights_;
  for (RightSide& right : rights) right.b.setZero();
  return expand(linear_.solve(rights), true);
}

VectorXd Ensemble::adopt(VecIn x) {
  if (!consistent_) return x;
  std::vector<std::vector<double>> parts(experiments_.size());
  const VectorXd p = x.head(shared_.size());
  tbb::parallel_for(0, num_experiments(), [&](int e) {
    if (!team_.owns(e)) return;
    const auto i = static_cast<std::size_t>(e);
    const VectorXd own = experiments_[i]->onto_manifold(variables_of(e, x), p);
    parts[i].assign(own.begin(), own.end());
  });
  team_.exchange(parts);
  VectorXd out = x;
  for (int e = 0; e < num_experiments(); ++e) {
    const auto& part = parts[static_cast<std::size_t>(e)];
    out.segment(offset_of(e), static_cast<Index>(part.size())) =
        Eigen::Map<const VectorXd>(part.data(), static_cast<Index>(part.size()));
  }
  return out;
}

Work Ensemble::work() const {
  std::vector<std::vector<double>> parts(experiments_.size());
  for (int e = 0; e < num_experiments(); ++e) {
    if (!team_.owns(e)) continue;
    const Work w = experiment(e).work();
    parts[static_cast<std::size_t>(e)] = {static_cast<double>(w.evaluations),
                                          static_cast<double>(w.linearizations),
                                          static_cast<double>(w.steps), static_cast<double>(w.rhs),
                                          static_cast<double>(w.directions)};
  }
  team_.exchange(parts);
  Work sum;
  for (const auto& part : parts) {
    sum.evaluations += static_cast<std::int64_t>(part[0]);
    sum.linearizations += static_cast<std::int64_t>(part[1]);
    sum.steps += static_cast<std::int64_t>(part[2]);
    sum.rhs += static_cast<std::int64_t>(part[3]);
    sum.directions += static_cast<std::int64_t>(part[4]);
  }
  return sum;
}

std::vector<std::string> Ensemble::remarks() const {
  std::vector<std::vector<double>> parts(experiments_.size());
  for (int e = 0; e < num_experiments(); ++e) {
    if (!team_.owns(e)) continue;
    const auto own = experiment(e).remarks();
    Packer packer(parts[static_cast<std::size_t>(e)]);
    packer.put(static_cast<double>(own.size()));
    for (const auto& remark : own) packer.put(remark);
  }
  team_.exchange(parts);
  std::vector<std::string> all;
  for (const auto& part : parts) {
    Unpacker unpacker(part);
    double count = 0;
    unpacker.get(count);
    for (int k = 0; k < static_cast<int>(count); ++k) unpacker.get(all.emplace_back());
  }
  return all;
}

}  // namespace parfait::estimate
