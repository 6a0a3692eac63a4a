#pragma once

#include <span>
#include <string>
#include <vector>

#include "parfait/dynamics/system.h"
#include "parfait/expr/formula.h"
#include "parfait/math/lanes.h"
#include "parfait/mechanism/description/description.h"
#include "parfait/mechanism/quantities/quantity_index.h"

namespace parfait::mechanism {

/// Quantities of a mechanism and formulas of quantities, in the order asked for. An engine computes
/// the quantities; what is made of them is the same in all engines.
class QuantityObserver final : public dynamics::System::Observer {
 public:
  /// InputError with a suggestion for a name that is none.
  QuantityObserver(std::span<const std::string> wanted, const Description& description,
                   const QuantityIndex& names);

  int size() const override { return static_cast<int>(items_.size()); }
  bool needs_rates() const override { return needs_rates_; }
  bool is_angle(int i) const override;

  /// What the engine computes.
  const std::vector<Quantity>& quantities() const { return quantities_; }

  struct Work {
    std::vector<double> values;     ///< of quantities()
    std::vector<math::Lane> lanes;  ///< their directions, one chunk
    std::vector<double> scratch, gradients;
  };
  void prepare(Work& work) const;
  /// What was asked for, from work.values.
  void values(Work& work, dynamics::Vec out) const;
  /// Once at these values, before directions().
  void prepare_directions(Work& work) const;
  /// One chunk of the directions of what was asked for, from work.lanes.
  void directions(const Work& work, double* chunk) const;
  /// Seeds of what was asked for to seeds of quantities(), at work.values.
  void pull_back(dynamics::ConstVec seeds, Work& work, std::vector<double>& quantity_seeds) const;

 private:
  class Scope;
  struct Item {
    int quantity = -1;  ///< index into quantities_, or
    int formula = -1;   ///< index into formulas_, whose slots are the quantities
  };
  int add(const Quantity& quantity);

  std::vector<Quantity> quantities_;
  std::vector<expr::Formula> formulas_;
  std::vector<Item> items_;
  std::size_t scratch_size_ = 0, gradient_size_ = 0;
  bool needs_rates_ = false;
};

}  // namespace parfait::mechanism
