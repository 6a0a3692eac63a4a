#pragma once

namespace parfait::integrate {

/// Norms of the local errors that the formulas of neighbouring orders make in one step (A8), in
/// units of the tolerance.
struct AdamsErrors {
  double step = 0;    ///< of the step as taken, order k: accepted where at most 1
  double same = 0;    ///< order k, as if the past had steps of this size; so have the others
  double lower = 0;   ///< order k - 1
  double lowest = 0;  ///< order k - 2
  double higher = 0;  ///< order k + 1
  bool has_higher = false;
  /// How often rounding errors are contained in the last difference used by order k, and by k + 1.
  double noise_same = 1;
  double noise_higher = 1;
};

/// Which order and step size come next (Shampine, Gordon, ch. 7 and 10; docs/theory/adams.md).
///
///   The order falls as soon as lower ones promise smaller errors. It rises only where a higher one
///   does and k + 1 steps of one size vouch for it: the estimate of order k + 1 needs them. The
///   step changes seldom, by a factor that is worth it: equal steps keep high orders stable.
///   Neither grows while rounding errors are magnified (A10).
///
///   At the start every accepted step raises the order and doubles the step, until one of them does
///   not pay.
class AdamsControl {
 public:
  explicit AdamsControl(int max_order) : max_order_(max_order) {}

  /// The first step has order 1.
  void start();
  /// To be used for the step tried next.
  int order() const { return order_; }

  /// Factors for the step size.
  double after_accepted(const AdamsErrors& errors, bool same_size);
  double after_rejected(const AdamsErrors& errors);
  /// The right-hand side or the projection failed: there are no errors to judge by.
  double after_failed();

 private:
  bool lower_is_better(const AdamsErrors& errors) const;

  int max_order_;
  int order_ = 1;
  bool starting_ = true;
  int num_rejected_ = 0;   ///< in a row
  int num_same_size_ = 0;  ///< steps in a row
};

}  // namespace parfait::integrate
