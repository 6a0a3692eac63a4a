#pragma once

#include <Eigen/LU>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parfait/estimate/experiment/experiment.h"
#include "parfait/estimate/problem/variables.h"
#include "parfait/estimate/shooting/condensing.h"
#include "parfait/estimate/shooting/shooting_interval.h"
#include "parfait/math/dense_solves.h"

namespace parfait::estimate {

/// An experiment with a dynamic model, by multiple shooting: on each interval of the grid the model
/// is integrated from its own node, and the nodes are unknowns that matching conditions connect.
///
///   x = (s_0 | s_1 ... s_N | z_0 ... z_N | local parameters)
///
///   s_0  what is free in the first node; the rest follows from the model and the parameters
///   s_i  differential states at tau_i; a measurement there belongs to interval i
///   z_i  algebraic states at tau_i; 0 = h(tau_i, s_i, z_i, p) are equations (relaxed_dae.h)
///
/// Systems with invariants are integrated from the projected node pi(s_i), with the exact
/// derivative of pi: the relaxation `limit` of K 8.4. The others of K 8 begin at s_i itself, with
/// the constraints shifted (relaxed_mechanics.h), except in the first interval: pi(s_0) is what
/// makes all nodes consistent in the end.
///
/// See  docs/theory/multiple_shooting.md
class ShootingExperiment : public Experiment {
 public:
  ShootingExperiment(const ExperimentDescription& description, const Unknowns& shared,
                     const FitOptions& options);

  const std::string& id() const override { return description_.id; }
  int num_variables() const override;
  std::vector<std::string> variable_names() const override;
  bool initialize(VecIn p, Eigen::VectorXd& x) override;
  bool evaluate(VecIn x, VecIn p) override;
  bool linearize(VecIn x, VecIn p) override;
  std::string why() const override { return why_; }
  const Eigen::VectorXd& residuals() const override { return data_values_; }
  double infeasibility() const override;
  const Block& block() const override { return block_; }
  RightSide right_side() const override;
  Eigen::VectorXd expand(VecIn xi, VecIn p, bool with_values) const override;
  Eigen::VectorXd into_bounds(VecIn x) const override;
  Eigen::VectorXd onto_manifold(VecIn x, VecIn p) override;
  const Unknowns& locals() const override { return locals_; }
  int first_local() const override { return num_variables() - locals_.size(); }
  std::vector<InitialUnknown> initial_unknowns() const override;
  NodeStates node_states() const override;
  std::vector<ResidualInfo> residual_infos() const override;
  Work work() const override { return work_; }
  std::vector<std::string> remarks() const override;

  Reduction reduction() const { return reduction_; }

 private:
  /// weight * (quantity at a sample, component of a node variable, or local unknown).
  struct Term {
    /// kLocal: the parameter; kUnknown: its scaled unknown.
    enum class Of : std::uint8_t { kSample, kNode, kLocal, kUnknown } of = Of::kSample;
    int node = 0;
    int sample = 0;
    int index = 0;  ///< quantity, entry of s_node, or local unknown
    double weight = 1;
  };
  /// sum of terms + constant.
  struct Row {
    std::vector<Term> terms;
    double constant = 0;
  };
  /// Fixfit: equations that end in an interval, and how their values b move w and the next node:
  /// by -w b and -s b.
  struct Settled {
    std::vector<int> equations;
    Eigen::MatrixXd w, s;
  };
  /// Fixfit: what settled equations leave of w = N v + P dtheta + ...
  struct Free {
    Eigen::MatrixXd N, P;
  };
  struct Node {
    std::unique_ptr<dynamics::System> relaxed;   ///< what is integrated, if not the model itself
    std::unique_ptr<ShootingInterval> interval;  ///< of length 0 for an end node
    std::unique_ptr<dynamics::Workspace> workspace;
    ShootingInterval::Start start;
    Eigen::VectorXd s, z;         ///< the variables of the last point, scaled
    Eigen::VectorXd consistency;  ///< h(tau, s, z, p)
    dynamics::Directions dconsistency;
    std::string why;

    // Of the last linearization; columns of s and theta after elimination of z.
    math::Lu h_z;
    Eigen::MatrixXd Z_s, Z_theta;           ///< dz = Z_s ds + Z_theta dtheta - h_z^-1 h
    Eigen::MatrixXd H_z;                    ///< of the end state
    std::vector<Eigen::MatrixXd> D_s, D_z;  ///< of the quantities at each sample
    /// Constrained systems: ds moves the projected state by S C ds; P its derivative by theta.
    Eigen::MatrixXd S, C, P;
    Eigen::MatrixXd G, P_end;     ///< of the end state: along s (or S), and by theta
    Eigen::VectorXd to_manifold;  ///< pi(s) - s, of the last point

    // Condensed: quantities at each sample and entries of s as functions of w and theta, and what
    // the defects of the last point add to them.
    std::vector<Eigen::MatrixXd> E_w, E_theta;
    std::vector<Eigen::VectorXd> e;
    Eigen::MatrixXd T, U;
    Eigen::VectorXd u, u_z;
    Settled settled;
  };
  /// An unknown parameter of the model.
  struct Column {
    bool local = false;
    int unknown = 0;
    int parameter = 0;
  };

  void make_columns(const Unknowns& shared);
  void make_first_node();
  void make_grid();
  void make_rows();
  void make_nodes();
  int quantity(const std::string& text, const base::Place& place);
  int node_of(double t) const;
  Term sample_term(double t, int quantity, double weight, const base::Place& place);
  void add_requirement(const Requirement& requirement);

  int size_of(int node) const { return node == 0 ? static_cast<int>(free_.size()) : ny(); }
  int offset_of(int node) const;
  int ny() const { return system_->sizes().ny(); }
  int nz() const { return system_->sizes().nz; }
  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  int num_theta() const { return static_cast<int>(columns_.size()); }

  void set_point(VecIn x, VecIn p);
  /// Directions of a node, a column each: of s, of z, of theta.
  struct Seeds {
    Eigen::MatrixXd s, z, theta;
  };
  Seeds all_directions(int node) const;
  void place_start(int node, const Seeds* seeds);
  bool prepare(int node, const Seeds* seeds);
  void account(int node);
  bool project_start(Node& node, double t, bool with_directions);
  bool relax(Node& node, double t, bool with_directions);
  void relax_constraints(Node& node, double t, bool with_directions);
  /// The interval begins off the constraints.
  bool is_relaxed(int node) const;
  double relaxation_rate(double t0, double t1) const;
  bool run(bool with_directions);
  std::string lost_start(int node) const;
  void collect_values();
  double value(const Row& row) const;
  bool has_invariants() const;
  void choose_reduction();
  void restrict_to_manifold(Node& node);
  bool restricts(int node) const;
  /// The node was integrated along S, but is condensed in the coordinates of s.
  bool in_coordinates(std::size_t node) const {
    return node > 0 && reduction_ == Reduction::kInvariants1;
  }
  bool reduces_nodes() const { return reduction_ == Reduction::kInvariants2; }
  bool eliminate_algebraic(Node& node);
  void condense_nodes();
  bool linearize_fixfit();
  bool replay_defects();
  std::vector<int> equations_until(int node) const;
  void settle_equations(int node, Free& free, Eigen::MatrixXd& T, Eigen::MatrixXd& U);
  Eigen::VectorXd settled_shift(int node, const Eigen::VectorXd& values, Eigen::VectorXd& w) const;
  Eigen::MatrixXd end_directions(const Node& node) const;
  void correct_values();
  void fill_block();
  void watch_switches();
  void take_states(const Data& table, bool by_header, double t, std::vector<double>& y) const;
  void project_on_measurements(double t, std::vector<double>& y, const std::vector<double>& z);
  void solve_algebraic(double t, const std::vector<double>& y, std::vector<double>& z) const;

  ExperimentDescription description_;
  FitOptions options_;
  std::shared_ptr<const dynamics::System> system_;
  std::vector<std::string> state_names_;
  Unknowns shared_, locals_;
  std::vector<Column> columns_;
  std::vector<double> parameters_;  ///< of the system, conditions of the experiment included
  std::vector<double> dparameter_;  ///< dp/dx of each column at the last point
  double begin_ = 0, end_ = 0;
  std::vector<double> times_;  ///< of the nodes
  std::vector<int> free_;      ///< components of the first state that are unknown
  std::vector<std::optional<double>>
      given_;              ///< values of the first state that are not the model's
  Eigen::VectorXd scale_;  ///< of the states

  std::vector<std::string> quantities_;
  std::unique_ptr<dynamics::System::Observer> observer_;
  std::vector<std::vector<double>> sample_times_;  ///< of each node
  std::vector<Row> data_, equations_, inequalities_;
  std::vector<ResidualInfo> infos_;
  std::vector<Node> nodes_;

  Eigen::VectorXd x_, p_;                ///< the last point
  Eigen::VectorXd linear_x_, linear_p_;  ///< fixfit: where the steps were recorded
  Eigen::VectorXd local_x_;
  Eigen::VectorXd data_values_, equation_values_, inequality_values_;
  std::vector<Eigen::VectorXd> defects_;  ///< h_i of the matching conditions
  std::vector<Matching> matching_;
  Condenser condenser_;
  Reduction reduction_ = Reduction::kNone;
  /// The first state is free on the manifold: its variables w are coordinates along S.
  bool tangent_first_ = false;
  int num_w_ = 0;
  bool linearized_ = false;
  Block block_;
  std::string why_;
  Work work_;
  std::vector<std::vector<std::pair<int, int>>> switching_;  ///< of the last linearization
  int linearizations_ = 0;
  int switching_changed_ =
      0;  ///< the last linearization whose sequence differed from the one before
};

}  // namespace parfait::estimate
