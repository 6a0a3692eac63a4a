#include "parfait/mechanism/quantities/quantity_observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "parfait/base/error.h"
#include "parfait/mechanism/constants/element_constants.h"

namespace parfait::mechanism {

/// Formulas may name quantities, and tables by the ids of inputs.
class QuantityObserver::Scope final : public expr::Scope {
 public:
  Scope(const Description& description, const QuantityIndex& names, QuantityObserver& observer)
      : description_(description), names_(names), observer_(observer) {}
  int find(std::string_view name) override {
    const auto quantity = names_.find(std::string(name));
    return quantity ? observer_.add(*quantity) : -1;
  }
  std::vector<std::string> names() const override {
    auto out = names_.names();
    for (const auto& input : description_.inputs) out.push_back(input.id);
    return out;
  }
  const expr::Table* table(std::string_view name) override {
    const auto* input = find_by_id(description_.inputs, std::string(name));
    if (!input) return nullptr;
    table_ = table_of(*input);
    return &*table_;
  }

 private:
  const Description& description_;
  const QuantityIndex& names_;
  QuantityObserver& observer_;
  std::optional<expr::Table> table_;
};

QuantityObserver::QuantityObserver(std::span<const std::string> wanted,
                                   const Description& description, const QuantityIndex& names) {
  constexpr const char* kNameCharacters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  for (const auto& name : wanted) {
    if (const auto quantity = names.find(name)) {
      items_.push_back({add(*quantity), -1});
      continue;
    }
    Scope scope(description, names, *this);
    const bool is_name = name.find_first_not_of(kNameCharacters) == std::string::npos;
    if (is_name && !find_by_id(description.inputs, name)) {
      throw base::InputError(
          fmt::format("unknown quantity \"{}\".{}", name, base::suggestion(name, scope.names())));
    }
    items_.push_back({-1, static_cast<int>(formulas_.size())});
    const auto& formula = formulas_.emplace_back(name, scope);
    scratch_size_ = std::max(scratch_size_, formula.scratch_size());
    gradient_size_ += formula.num_used();
  }
}

int QuantityObserver::add(const Quantity& quantity) {
  quantities_.push_back(quantity);
  needs_rates_ |= quantity.needs_rates();
  return static_cast<int>(quantities_.size()) - 1;
}

bool QuantityObserver::is_angle(int i) const {
  const int quantity = items_[i].quantity;
  return quantity >= 0 && quantities_[quantity].kind == Quantity::Kind::kJointAngle;
}

void QuantityObserver::prepare(Work& work) const {
  const auto grow = [](auto& list, std::size_t size) {
    if (list.size() < size) list.resize(size);
  };
  grow(work.values, quantities_.size());
  grow(work.lanes, quantities_.size());
  grow(work.scratch, scratch_size_);
  grow(work.gradients, gradient_size_);
}

void QuantityObserver::values(Work& work, dynamics::Vec out) const {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const auto [quantity, formula] = items_[i];
    out[i] = quantity >= 0 ? work.values[quantity]
                           : formulas_[formula].value(work.values.data(), work.scratch.data());
  }
}

void QuantityObserver::prepare_directions(Work& work) const {
  std::size_t first = 0;
  for (const auto& formula : formulas_) {
    formula.gradient(work.values.data(), work.scratch.data(), work.gradients.data() + first);
    first += formula.num_used();
  }
}

void QuantityObserver::directions(const Work& work, double* chunk) const {
  const auto* lanes = reinterpret_cast<const double*>(work.lanes.data());
  std::size_t first = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const auto [quantity, formula] = items_[i];
    double* out = chunk + i * math::kLanes;
    if (quantity >= 0) {
      math::store(out, work.lanes[quantity]);
      continue;
    }
    formulas_[formula].apply(work.gradients.data() + first, lanes, out);
    first += formulas_[formula].num_used();
  }
}

void QuantityObserver::pull_back(dynamics::ConstVec seeds, Work& work,
                                 std::vector<double>& quantity_seeds) const {
  quantity_seeds.assign(quantities_.size(), 0.0);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const auto [quantity, index] = items_[i];
    if (quantity >= 0) {
      quantity_seeds[quantity] += seeds[i];
      continue;
    }
    const auto& formula = formulas_[index];
    formula.gradient(work.values.data(), work.scratch.data(), work.gradients.data());
    const auto used = formula.used_slots();
    for (std::size_t j = 0; j < used.size(); ++j) {
      quantity_seeds[used[j]] += seeds[i] * work.gradients[j];
    }
  }
}

}  // namespace parfait::mechanism
