#pragma once

#include <string>
#include <vector>

#include "parfait/base/name_table.h"
#include "parfait/expr/formula.h"
#include "parfait/mechanism/description/description.h"

namespace parfait::mechanism {

/// All constants of a model in one vector, each a number or driven by parameters.
///
/// Names are "<element>.<constant>" as constant_names() lists them. Elements keep the index of
/// their first constant; what is driven is known here alone, so any constant can become a parameter
/// without the element taking notice.
class ConstantTable {
 public:
  ConstantTable() = default;
  explicit ConstantTable(const Description& description);

  int size() const { return static_cast<int>(base_.size()); }
  /// The index of a constant that exists.
  int index(const std::string& name) const;
  bool has(const std::string& name) const { return names_.find(name) >= 0; }
  bool is_driven(int constant) const { return driven_index_[constant] >= 0; }
  /// Whether one of `count` constants from `first` is driven.
  bool any_driven(int first, int count) const;
  int num_driven() const { return static_cast<int>(driven_.size()); }
  double number(int constant) const { return base_[constant]; }
  const std::vector<std::string>& parameter_ids() const { return parameter_ids_; }
  const std::vector<double>& parameter_initial() const { return parameter_initial_; }

  /// Values of all constants at parameters p. `scratch` as large as scratch_size().
  void bind(const double* p, double* constants, double* scratch) const;
  /// Gradients of the driven constants at p, kept in `gradients` (gradient_size()).
  void gradients(const double* p, double* gradients, double* scratch) const;
  /// Directions (kLanes) of driven constant number d = driven_index(constant), for one chunk of dp.
  void directions(const double* gradients, const double* dp_chunk, int d, double* lanes) const;
  /// The transpose: adds to the adjoints of the parameters what that of driven constant d leaves.
  void pull_back(const double* gradients, int d, double adjoint, double* parameters) const;
  int driven_index(int constant) const { return driven_index_[constant]; }

  std::size_t scratch_size() const { return scratch_size_; }
  std::size_t gradient_size() const { return gradient_size_; }

 private:
  struct Driven {
    int constant;
    expr::Formula formula;
    std::size_t first_gradient;
  };
  void add(const std::string& name, double number);
  void drive(const std::string& name, const expr::Formula& formula);

  base::NameTable names_;
  std::vector<int> constants_;  ///< of the names; of two that are alike the first
  std::vector<double> base_;
  std::vector<int> driven_index_;
  std::vector<Driven> driven_;
  std::vector<std::string> parameter_ids_;
  std::vector<double> parameter_initial_;
  std::size_t scratch_size_ = 0, gradient_size_ = 0;
};

}  // namespace parfait::mechanism
