#pragma once

#include <memory>

#include "parfait/estimate/shooting/rows.h"
#include "parfait/estimate/shooting/shooting_layout.h"

namespace parfait::estimate {

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

  /// A quantity at a time that was requested. InputError at the place if t is outside the horizon.
  std::shared_ptr<const Observable> quantity_at(double t, const FormulaText& formula,
                                                const Place& place);

 private:
  int quantity(const FormulaText& formula);

  ShootingLayout& layout_;
};

}  // namespace parfait::estimate
