#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "parfait/estimate/experiment/experiment.h"
#include "parfait/estimate/shooting/rows.h"
#include "parfait/estimate/shooting/shooting_layout.h"
#include "parfait/expr/formula.h"

namespace parfait::estimate {

/// A row that several measurements make together, (model - data) / sigma already.
struct CollectiveRow {
  ShootingRow row{};
  ResidualInfo info{};
};

/// What rows may ask of the trajectory while a layout is made: first everybody requests, then
/// everybody makes.
class RowBuilder {
 public:
  explicit RowBuilder(ShootingLayout& layout) : layout_(layout) {}
  const ShootingLayout& layout() const { return layout_; }

  /// Quantities will be observed at t.
  void request_sample(double t);
  /// Times of events will be watched.
  void request_events() { layout_.watches_events = true; }

  /// A quantity at a time that was requested: a formula of quantities of the model, and of
  /// parameters of the problem that the model does not have. InputError at the place if t is
  /// outside the horizon.
  std::shared_ptr<const Observable> quantity_at(double t, const FormulaText& formula,
                                                const Place& place);

  /// The formula depends on logarithms of unknown parameters alone.
  bool is_of_log_parameters(const FormulaText& formula);

 private:
  /// What a name of a formula stands for.
  struct Part {
    std::string quantity{};  ///< of the model
    std::shared_ptr<const Observable> other{};
    bool is_log = false;  ///< an unknown whose logarithm is estimated, or a constant
  };
  struct Parsed {
    bool is_of_model = true;  ///< all of it: the model observes the formula as it is
    expr::Formula formula{};
    std::vector<Part> parts{};
  };
  class PartScope;
  const Parsed& parse(const FormulaText& formula);
  int quantity(const FormulaText& formula);
  std::shared_ptr<const Observable> sample(double t, int quantity) const;

  ShootingLayout& layout_;
  std::map<std::string, Parsed> parsed_;
};

}  // namespace parfait::estimate
