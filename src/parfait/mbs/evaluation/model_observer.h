#pragma once

#include <vector>

#include "parfait/mbs/data/model_data.h"

namespace parfait::mbs {

/// Quantities and formulas of quantities, in the order asked for.
class ModelObserver final : public dynamics::System::Observer {
 public:
  struct Item {
    int quantity = -1;  ///< index into `quantities`, or
    int formula = -1;   ///< index into `formulas`, whose slots are the quantities
  };
  std::vector<Quantity> quantities;
  std::vector<expr::Formula> formulas;
  std::vector<Item> items;
  std::size_t scratch_size = 0, gradient_size = 0;
  bool rates = false;

  int size() const override { return static_cast<int>(items.size()); }
  bool needs_rates() const override { return rates; }
  bool is_angle(int i) const override {
    const int quantity = items[i].quantity;
    return quantity >= 0 && quantities[quantity].kind == Quantity::Kind::kJointAngle;
  }

  int add(const Quantity& q) {
    quantities.push_back(q);
    rates |= q.needs_rates();
    return static_cast<int>(quantities.size()) - 1;
  }
};

}  // namespace parfait::mbs
