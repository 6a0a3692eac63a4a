#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "parfait/estimate/shooting_experiment.h"

// Values and derivatives of a shooting experiment at a point.
namespace parfait::estimate {

using dynamics::Directions;
using dynamics::Status;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

Directions stacked(const Directions& above, const Directions& below) {
  Directions out(above.rows() + below.rows(), above.count());
  for (int c = 0; c < out.count(); ++c) {
    for (int j = 0; j < above.rows(); ++j) out(j, c) = above(j, c);
    for (int j = 0; j < below.rows(); ++j) out(above.rows() + j, c) = below(j, c);
  }
  return out;
}

}  // namespace

void ShootingExperiment::set_point(VecIn x, VecIn p) {
  x_ = x;
  p_ = p;
  for (int i = 0; i < num_nodes(); ++i) {
    Node& node = nodes_[static_cast<std::size_t>(i)];
    node.s = x.segment(offset_of(i), size_of(i));
    node.z = x.segment(offset_of(num_nodes()) + i * nz(), nz());
  }
  local_x_ = x.tail(locals_.size());
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const Column& c = columns_[j];
    const Unknowns& unknowns = c.local ? locals_ : shared_;
    const double value = c.local ? local_x_[c.unknown] : p[c.unknown];
    parameters_[static_cast<std::size_t>(c.parameter)] = unknowns.value_of(c.unknown, value);
    dparameter_[j] = unknowns.derivative_of(c.unknown, value);
  }
}

/// All directions of a node: of s, of z and of theta, one after another.
ShootingExperiment::Seeds ShootingExperiment::all_directions(int i) const {
  const int ns = size_of(i), k = ns + nz() + num_theta();
  const MatrixXd unit = MatrixXd::Identity(k, k);
  return {
      .s = unit.topRows(ns), .z = unit.middleRows(ns, nz()), .theta = unit.bottomRows(num_theta())};
}

/// The node's state as its variables say, and its directions along the seeds; null: values only.
void ShootingExperiment::place_start(int i, const Seeds* seeds) {
  Node& node = nodes_[static_cast<std::size_t>(i)];
  ShootingInterval::Start& start = node.start;
  const int k = seeds != nullptr ? static_cast<int>(seeds->s.cols()) : 0;
  start.p = parameters_;
  start.y.resize(static_cast<std::size_t>(ny()));
  start.z.assign(node.z.data(), node.z.data() + nz());
  start.dp.resize(system_->sizes().np, k);
  start.W.resize(ny(), k);
  start.dz.resize(nz(), k);
  for (int c = 0; c < k; ++c) {
    for (int j = 0; j < nz(); ++j) start.dz(j, c) = seeds->z(j, c);
    for (int j = 0; j < num_theta(); ++j) {
      start.dp(columns_[static_cast<std::size_t>(j)].parameter, c) =
          dparameter_[static_cast<std::size_t>(j)] * seeds->theta(j, c);
    }
  }
  system_->bind(*node.workspace, start.p);
  if (k > 0) system_->bind_directions(*node.workspace, start.dp);
  const auto set = [&](int j, double value, int row) {
    start.y[static_cast<std::size_t>(j)] = value;
    for (int c = 0; c < k; ++c) start.W(j, c) = row < 0 ? 0 : scale_[j] * seeds->s(row, c);
  };
  if (i == 0) {
    // What is not free follows from the model, unless a number was given.
    std::vector<double> guess(static_cast<std::size_t>(nz()));
    system_->start(*node.workspace, start.y, guess);
    if (k > 0) system_->start_directions(*node.workspace, start.W);
    for (int j = 0; j < ny(); ++j) {
      const auto& given = given_[static_cast<std::size_t>(j)];
      if (given) set(j, *given, -1);
    }
    for (std::size_t f = 0; f < free_.size(); ++f) {
      const auto row = static_cast<int>(f);
      set(free_[f], scale_[free_[f]] * node.s[row], row);
    }
  } else {
    for (int j = 0; j < ny(); ++j) set(j, scale_[j] * node.s[j], j);
  }
}

/// The start of an interval: the node's state, consistent as far as the model needs it, and its
/// directions along the seeds; null: values only.
bool ShootingExperiment::prepare(int i, const Seeds* seeds) {
  place_start(i, seeds);
  Node& node = nodes_[static_cast<std::size_t>(i)];
  const double t = times_[static_cast<std::size_t>(i)];
  const bool with_directions = seeds != nullptr && seeds->s.cols() > 0;
  if (is_relaxed(i)) {
    relax_constraints(node, t, with_directions);
    return true;
  }
  return project_start(node, t, with_directions) && relax(node, t, with_directions);
}

bool ShootingExperiment::is_relaxed(int i) const {
  return i > 0 && nz() == 0 && has_invariants() && options_.relaxation != Relaxation::kLimit;
}

/// pi(s), and its exact derivative.
bool ShootingExperiment::project_start(Node& node, double t, bool with_directions) {
  if (!has_invariants()) return true;
  const VectorXd before = Eigen::Map<const VectorXd>(node.start.y.data(), ny());
  const auto report =
      system_->project(*node.workspace, t, node.start.y, options_.integrator.projection,
                       options_.integrator.projection_tolerance);
  Status status = report.status;
  if (status == Status::kOk && with_directions) {
    status = system_->project_directions(*node.workspace, node.start.W);
  }
  node.to_manifold =
      (Eigen::Map<const VectorXd>(node.start.y.data(), ny()) - before).cwiseQuotient(scale_);
  if (status == Status::kOk) return true;
  node.why =
      fmt::format("the node cannot be brought onto the constraints: {}", dynamics::text(status));
  return false;
}

/// Whether a node is integrated along the possible directions only. Fixfit needs them of the first
/// node, to begin with.
bool ShootingExperiment::restricts(int i) const {
  if (i == 0) return tangent_first_;
  return reduction_ == Reduction::kInvariants1 || reduction_ == Reduction::kInvariants2;
}

/// Instead of all directions of the node, which lead to d pi ds, a basis S of those that are
/// possible: d pi = S C (K 9.2.1; corrections.md).
void ShootingExperiment::restrict_to_manifold(Node& node) {
  const int ns = static_cast<int>(node.s.size()), rest = nz() + num_theta();
  if (ns == 0) return;
  Directions& W = node.start.W;
  MatrixXd P(ny(), ns);
  for (int c = 0; c < ns; ++c) {
    for (int j = 0; j < ny(); ++j) P(j, c) = W(j, c);
  }
  Eigen::ColPivHouseholderQR<MatrixXd> qr;
  qr.setThreshold(1e-8);  // singular values of a projector are 0 or at least 1
  qr.compute(P);
  const auto rank = static_cast<int>(qr.rank());
  node.S = qr.householderQ() * MatrixXd::Identity(ny(), rank);
  node.C = node.S.transpose() * P;
  node.P.resize(ny(), num_theta());
  for (int c = 0; c < num_theta(); ++c) {
    for (int j = 0; j < ny(); ++j) node.P(j, c) = W(j, ns + nz() + c);
  }
  Directions few(ny(), rank + rest), dz(nz(), rank + rest), dp(node.start.dp.rows(), rank + rest);
  for (int c = 0; c < rank; ++c) {
    for (int j = 0; j < ny(); ++j) few(j, c) = node.S(j, c);
  }
  for (int c = 0; c < rest; ++c) {
    for (int j = 0; j < ny(); ++j) few(j, rank + c) = W(j, ns + c);
    for (int j = 0; j < nz(); ++j) dz(j, rank + c) = node.start.dz(j, ns + c);
    for (int j = 0; j < dp.rows(); ++j) dp(j, rank + c) = node.start.dp(j, ns + c);
  }
  W = std::move(few);
  node.start.dz = std::move(dz);
  node.start.dp = std::move(dp);
}

/// h_0 = h(t, s, z, p), which the relaxed DAE takes as parameters.
bool ShootingExperiment::relax(Node& node, double t, bool with_directions) {
  if (nz() == 0) return true;
  ShootingInterval::Start& start = node.start;
  std::vector<double> rate(static_cast<std::size_t>(ny())), h(static_cast<std::size_t>(nz()));
  const Status status = system_->evaluate(
      *node.workspace, {.t = t, .y = start.y, .z = start.z, .mode = {}, .offset = {}}, rate, h);
  if (status != Status::kOk) {
    node.why = fmt::format("the algebraic equations at the node: {}", dynamics::text(status));
    return false;
  }
  node.consistency = Eigen::Map<const VectorXd>(h.data(), nz());
  start.p.insert(start.p.end(), h.begin(), h.end());
  if (!with_directions) return true;
  const int k = start.W.count();
  Directions drate(ny(), k);
  node.dconsistency.resize(nz(), k);
  system_->directions(*node.workspace, {.dt = {}, .dy = &start.W, .dz = &start.dz, .dphi = {}},
                      drate, &node.dconsistency);
  start.dp = stacked(start.dp, node.dconsistency);
  return true;
}

/// (g_0, g'_0) = the invariants at the node, which the relaxed mechanics take as parameters.
void ShootingExperiment::relax_constraints(Node& node, double t, bool with_directions) {
  ShootingInterval::Start& start = node.start;
  const int ng = system_->sizes().num_pos + system_->sizes().num_vel;
  std::vector<double> g(static_cast<std::size_t>(ng));
  system_->invariants(*node.workspace, t, start.y, g);
  start.p.insert(start.p.end(), g.begin(), g.end());
  if (!with_directions) return;
  Directions dg(ng, start.W.count());
  system_->invariant_directions(*node.workspace, t, start.y,
                                {.dt = {}, .dy = &start.W, .dz = {}, .dphi = {}}, dg);
  start.dp = stacked(start.dp, dg);
}

/// All intervals, in parallel: each writes only to its own node.
bool ShootingExperiment::run(bool with_directions) {
  why_.clear();
  tbb::parallel_for(0, num_nodes(), [&](int i) {
    Node& node = nodes_[static_cast<std::size_t>(i)];
    node.why.clear();
    const Seeds seeds = with_directions ? all_directions(i) : Seeds();
    if (!prepare(i, with_directions ? &seeds : nullptr)) return;
    if (with_directions && restricts(i)) restrict_to_manifold(node);
    node.why = node.interval->run(node.start) ? lost_start(i) : node.interval->why();
  });
  for (int i = 0; i < num_nodes(); ++i) account(i);
  ++(with_directions ? work_.linearizations : work_.evaluations);
  return why_.empty();
}

/// The work of an interval, and the first failure.
void ShootingExperiment::account(int i) {
  const Node& node = nodes_[static_cast<std::size_t>(i)];
  if (!node.why.empty() && why_.empty()) {
    why_ = fmt::format("experiment \"{}\", interval {} from t = {:g}: {}", description_.id, i + 1,
                       times_[static_cast<std::size_t>(i)], node.why);
  }
  const auto& statistics = node.interval->statistics();
  work_.steps += statistics.steps;
  work_.rhs += statistics.evaluations;
  work_.directions += node.start.W.count();
}

/// Where directions grow by more than the integrator has digits, the end of the interval does not
/// depend on its start any more, whatever the derivatives say.
std::string ShootingExperiment::lost_start(int i) const {
  const Node& node = nodes_[static_cast<std::size_t>(i)];
  const Directions& W0 = node.start.W;
  const Directions& W1 = node.interval->W1();
  double growth = 0;
  for (int c = 0; c < std::min(W1.count(), size_of(i)); ++c) {
    double before = 0, after = 0;
    for (int j = 0; j < ny(); ++j) {
      before = std::max(before, std::abs(W0(j, c)));
      after = std::max(after, std::abs(W1(j, c)));
    }
    if (before > 0) growth = std::max(growth, after / before);
  }
  const double rtol = options_.integrator.rtol;
  if (growth * rtol < 1) return "";
  constexpr double kFine = 1e4;  // per interval
  return fmt::format(
      "solutions grow by {:.0e} within the interval, more than rtol = {:.0e} can resolve. Use {} "
      "times as many intervals",
      growth, rtol, static_cast<int>(std::ceil(std::log(growth) / std::log(kFine))));
}

double ShootingExperiment::value(const Row& row) const {
  double sum = row.constant;
  for (const Term& term : row.terms) {
    const Node& node = nodes_[static_cast<std::size_t>(term.node)];
    switch (term.of) {
      case Term::Of::kSample:
        sum += term.weight * node.interval->values()(term.index, term.sample);
        break;
      case Term::Of::kNode:
        sum += term.weight * node.s[term.index];
        break;
      case Term::Of::kLocal:
        sum += term.weight * locals_.value_of(term.index, local_x_[term.index]);
        break;
      case Term::Of::kUnknown:
        sum += term.weight * local_x_[term.index];
        break;
    }
  }
  return sum;
}

void ShootingExperiment::collect_values() {
  const auto fill = [this](const std::vector<Row>& rows, VectorXd& values) {
    values.resize(static_cast<Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) values[static_cast<Index>(i)] = value(rows[i]);
  };
  fill(data_, data_values_);
  fill(equations_, equation_values_);
  fill(inequalities_, inequality_values_);
  defects_.resize(nodes_.size() - 1);
  for (std::size_t i = 0; i + 1 < nodes_.size(); ++i) {
    const auto& y1 = nodes_[i].interval->y1();
    defects_[i] =
        Eigen::Map<const VectorXd>(y1.data(), ny()).cwiseQuotient(scale_) - nodes_[i + 1].s;
  }
}

double ShootingExperiment::infeasibility() const {
  double largest = 0;
  const auto include = [&](const VectorXd& values) {
    if (values.size() > 0) largest = std::max(largest, values.cwiseAbs().maxCoeff());
  };
  include(equation_values_);
  for (const auto& h : defects_) include(h);
  for (const Node& node : nodes_) include(node.consistency);
  for (double g : inequality_values_) largest = std::max(largest, -g);
  return largest;
}

bool ShootingExperiment::evaluate(VecIn x, VecIn p) {
  set_point(x, p);
  if (!run(false)) return false;
  collect_values();
  if (!linearized_) return true;
  if (reduction_ == Reduction::kFixfit) return replay_defects();
  correct_values();
  return true;
}

bool ShootingExperiment::linearize(VecIn x, VecIn p) {
  set_point(x, p);
  linearized_ = false;
  if (reduction_ == Reduction::kFixfit) {
    if (!linearize_fixfit()) return false;
  } else {
    if (!run(true)) return false;
    collect_values();
    for (int i = 0; i < num_nodes(); ++i) {
      if (eliminate_algebraic(nodes_[static_cast<std::size_t>(i)])) continue;
      why_ = fmt::format(
          "experiment \"{}\", t = {:g}: the algebraic equations do not determine the "
          "algebraic states",
          description_.id, times_[static_cast<std::size_t>(i)]);
      return false;
    }
    condense_nodes();
    correct_values();
  }
  linearized_ = true;
  fill_block();
  watch_switches();
  return true;
}

/// dz = Z_s ds + Z_theta dtheta - h_z^-1 h, put into all derivatives of the node.
bool ShootingExperiment::eliminate_algebraic(Node& node) {
  const int k = node.start.W.count();
  const int ns = k - nz() - num_theta();  // of s, or of the directions that it allows
  node.num_directions = k;
  node.Z_s.setZero(nz(), ns);
  node.Z_theta.setZero(nz(), num_theta());
  if (nz() > 0) {
    MatrixXd dh(nz(), k);
    for (int c = 0; c < k; ++c) {
      for (int j = 0; j < nz(); ++j) dh(j, c) = node.dconsistency(j, c);
    }
    node.h_z.compute(dh.middleCols(ns, nz()));
    node.Z_s = -node.h_z.solve(dh.leftCols(ns));
    node.Z_theta = -node.h_z.solve(dh.rightCols(num_theta()));
    if (!node.Z_s.allFinite() || !node.Z_theta.allFinite()) return false;
  }
  const auto samples = static_cast<std::size_t>(node.interval->num_samples());
  node.D_s.resize(samples);
  node.D_z.resize(samples);
  node.E_theta.resize(samples);
  for (std::size_t j = 0; j < samples; ++j) {
    const MatrixXd& D = node.interval->derivatives(static_cast<int>(j));
    node.D_z[j] = D.middleCols(ns, nz());
    node.D_s[j] = D.leftCols(ns) + node.D_z[j] * node.Z_s;
    node.E_theta[j] = D.rightCols(num_theta()) + node.D_z[j] * node.Z_theta;
  }
  return true;
}

/// Matching conditions and samples as functions of w and theta. Nodes are condensed in the
/// coordinates of s itself or, where these are not all needed, of its possible directions.
void ShootingExperiment::condense_nodes() {
  matching_.resize(nodes_.size() - 1);
  for (std::size_t i = 0; i + 1 < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    const MatrixXd D = end_directions(node);
    const Index ns = D.cols() - nz() - num_theta();
    Matching& m = matching_[i];
    node.H_z = D.middleCols(ns, nz());
    node.G = D.leftCols(ns) + node.H_z * node.Z_s;
    node.P_end = D.rightCols(num_theta()) + node.H_z * node.Z_theta;
    m.H = in_coordinates(i) ? MatrixXd(node.G * node.C) : node.G;
    m.P = node.P_end;
    if (reduces_nodes()) {
      m.H = nodes_[i + 1].C * node.G;
      m.P = nodes_[i + 1].C * node.P_end;
    }
  }
  num_w_ = static_cast<int>(tangent_first_ ? nodes_.front().S.cols() : size_of(0));
  condenser_.factorize(num_w_, num_theta(), matching_, options_.condensing);
  for (int i = 0; i < num_nodes(); ++i) {
    Node& node = nodes_[static_cast<std::size_t>(i)];
    const MatrixXd &T = condenser_.T(i), &U = condenser_.U(i);
    node.E_w.resize(node.D_s.size());
    for (std::size_t j = 0; j < node.D_s.size(); ++j) {
      if (in_coordinates(static_cast<std::size_t>(i))) node.D_s[j] = node.D_s[j] * node.C;
      node.E_w[j] = node.D_s[j] * T;
      node.E_theta[j] += node.D_s[j] * U;
    }
    if (in_coordinates(static_cast<std::size_t>(i))) node.Z_s = node.Z_s * node.C;
    if (i == 0 && tangent_first_) {
      const auto scale = scale_.cwiseInverse().asDiagonal();
      node.T = scale * (node.S * T);
      node.U = scale * (node.S * U + node.P);
    } else if (i > 0 && reduces_nodes()) {
      const Node& before = nodes_[static_cast<std::size_t>(i) - 1];
      node.T = before.G * condenser_.T(i - 1);
      node.U = before.G * condenser_.U(i - 1) + before.P_end;
    } else {
      node.T = T;
      node.U = U;
    }
  }
}

/// What the defects of the last point add to nodes and samples, with the derivatives of the last
/// linearization.
void ShootingExperiment::correct_values() {
  std::vector<VectorXd> h = defects_;
  for (std::size_t i = 0; i < nodes_.size() && nz() > 0; ++i) {
    nodes_[i].u_z = -nodes_[i].h_z.solve(nodes_[i].consistency);
    if (i < h.size()) h[i] += nodes_[i].H_z * nodes_[i].u_z;
  }
  std::vector<VectorXd> reduced = h;
  for (std::size_t i = 0; i < h.size() && reduces_nodes(); ++i) reduced[i] = nodes_[i + 1].C * h[i];
  const auto u = condenser_.shift(matching_, reduced);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    node.e.resize(node.D_s.size());
    for (std::size_t j = 0; j < node.D_s.size(); ++j) {
      node.e[j] = node.D_s[j] * u[i];
      if (nz() > 0) node.e[j] += node.D_z[j] * node.u_z;
    }
    node.u = u[i];
    if (i == 0 && tangent_first_) {
      node.u = (node.S * u[i]).cwiseQuotient(scale_) + node.to_manifold;
    } else if (i > 0 && reduces_nodes()) {
      node.u = nodes_[i - 1].G * u[i - 1] + h[i - 1];
    }
  }
}

/// The rows as functions of xi = (w | local) and the shared parameters.
void ShootingExperiment::fill_block() {
  const Index nw = num_w_, nl = locals_.size();
  block_ =
      Block::zero(nw + nl, shared_.size(), static_cast<Index>(data_.size()),
                  static_cast<Index>(equations_.size()), static_cast<Index>(inequalities_.size()));
  Eigen::RowVectorXd by_theta(num_theta());
  const auto fill = [&](const std::vector<Row>& rows, MatrixXd& local, MatrixXd& shared) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto row = static_cast<Index>(r);
      by_theta.setZero();
      for (const Term& term : rows[r].terms) {
        const Node& node = nodes_[static_cast<std::size_t>(term.node)];
        const auto sample = static_cast<std::size_t>(term.sample);
        switch (term.of) {
          case Term::Of::kSample:
            local.row(row).head(nw) += term.weight * node.E_w[sample].row(term.index);
            by_theta += term.weight * node.E_theta[sample].row(term.index);
            break;
          case Term::Of::kNode:
            local.row(row).head(nw) += term.weight * node.T.row(term.index);
            by_theta += term.weight * node.U.row(term.index);
            break;
          case Term::Of::kLocal:
            local(row, nw + term.index) +=
                term.weight * locals_.derivative_of(term.index, local_x_[term.index]);
            break;
          case Term::Of::kUnknown:
            local(row, nw + term.index) += term.weight;
            break;
        }
      }
      for (int j = 0; j < num_theta(); ++j) {
        const Column& c = columns_[static_cast<std::size_t>(j)];
        (c.local ? local(row, nw + c.unknown) : shared(row, c.unknown)) += by_theta[j];
      }
    }
  };
  fill(data_, block_.A, block_.B);
  fill(equations_, block_.C, block_.D);
  fill(inequalities_, block_.E, block_.F);
  block_.right = right_side();
}

RightSide ShootingExperiment::right_side() const {
  RightSide right{.b = data_values_, .c = equation_values_, .e = inequality_values_};
  if (!linearized_) return right;  // nothing to condense with
  const auto add = [&](const std::vector<Row>& rows, VectorXd& values) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (const Term& term : rows[r].terms) {
        const Node& node = nodes_[static_cast<std::size_t>(term.node)];
        if (term.of == Term::Of::kSample) {
          values[static_cast<Index>(r)] +=
              term.weight * node.e[static_cast<std::size_t>(term.sample)][term.index];
        } else if (term.of == Term::Of::kNode) {
          values[static_cast<Index>(r)] += term.weight * node.u[term.index];
        }
      }
    }
  };
  add(data_, right.b);
  add(equations_, right.c);
  add(inequalities_, right.e);
  return right;
}

VectorXd ShootingExperiment::expand(VecIn xi, VecIn p, bool with_values) const {
  const Index nw = num_w_, nl = locals_.size();
  VectorXd theta(num_theta());
  for (int j = 0; j < num_theta(); ++j) {
    const Column& c = columns_[static_cast<std::size_t>(j)];
    theta[j] = c.local ? xi[nw + c.unknown] : p[c.unknown];
  }
  VectorXd x(num_variables());
  for (int i = 0; i < num_nodes(); ++i) {
    const Node& node = nodes_[static_cast<std::size_t>(i)];
    VectorXd s = node.T * xi.head(nw) + node.U * theta;
    if (with_values) s += node.u;
    x.segment(offset_of(i), size_of(i)) = s;
    if (nz() == 0) continue;
    VectorXd z = node.Z_s * s + node.Z_theta * theta;
    if (with_values) z += node.u_z;
    x.segment(offset_of(num_nodes()) + i * nz(), nz()) = z;
  }
  x.tail(nl) = xi.tail(nl);
  return x;
}

VectorXd ShootingExperiment::onto_manifold(VecIn x, VecIn p) {
  if (!has_invariants()) return x;
  const VectorXd x_now = x_, p_now = p_;
  VectorXd out = x;
  set_point(x, p);
  for (int i = tangent_first_ ? 0 : 1; i < num_nodes(); ++i) {
    Node& node = nodes_[static_cast<std::size_t>(i)];
    place_start(i, nullptr);
    if (project_start(node, times_[static_cast<std::size_t>(i)], false)) {
      out.segment(offset_of(i), ny()) += node.to_manifold;
    }
  }
  if (x_now.size() == x.size()) set_point(x_now, p_now);
  return out;
}

VectorXd ShootingExperiment::into_bounds(VecIn x) const {
  VectorXd out = x;
  for (int i = 0; i < locals_.size(); ++i) {
    double& value = out[first_local() + i];
    value = std::clamp(value, locals_.lower()[i], locals_.upper()[i]);
  }
  return out;
}

/// The theory assumes that switching functions pass zero in the same order from one point to the
/// next (K 3.3.2): say so where they did not.
void ShootingExperiment::watch_switches() {
  ++linearizations_;
  std::vector<std::vector<std::pair<int, int>>> sequence;
  for (const Node& node : nodes_) {
    auto& events = sequence.emplace_back();
    for (const auto& event : node.interval->events()) events.emplace_back(event.which, event.mode);
  }
  if (linearizations_ > 1 && sequence != switching_) switching_changed_ = linearizations_;
  switching_ = std::move(sequence);
}

std::vector<std::string> ShootingExperiment::remarks() const {
  std::vector<std::string> out;
  if (switching_changed_ > 1) {
    const bool last = switching_changed_ == linearizations_;
    out.push_back(fmt::format(
        "experiment \"{}\": the sequence of events changed {} iteration {}{}", description_.id,
        last ? "in the last" : "before", last ? "" : fmt::format("{}", switching_changed_ - 1),
        last ? ": the estimate may not be a minimum" : "; it did not change afterwards"));
  }
  if (condenser_.method() == Condensing::kOrthogonal && num_nodes() > 1 &&
      options_.condensing == Condensing::kAutomatic) {
    out.push_back(
        fmt::format("experiment \"{}\": directions grow by {:.0e} over the horizon: "
                    "orthogonal condensing",
                    description_.id, condenser_.growth()));
  }
  return out;
}

}  // namespace parfait::estimate
