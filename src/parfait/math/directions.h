#pragma once

#include <cassert>
#include <new>
#include <vector>

#include "parfait/math/lanes.h"

namespace parfait::math {

/// k directions of a vector with n entries: the matrix whose columns are directional derivatives.
///
/// Layout  [chunk][row][lane]: chunks of kLanes directions, the directions of a row contiguous.
///         Unused lanes of the last chunk are zero and may be computed on.
class Directions {
 public:
  Directions() = default;
  Directions(int rows, int count) { resize(rows, count); }

  /// Sets all entries to zero; allocates only if the matrix grows beyond what it once held.
  void resize(int rows, int count) {
    rows_ = rows;
    count_ = count;
    data_.assign(static_cast<std::size_t>(chunks()) * rows * kLanes, 0.0);
  }

  int rows() const { return rows_; }
  int count() const { return count_; }
  int chunks() const { return (count_ + kLanes - 1) / kLanes; }

  /// rows() x kLanes numbers, row-major, 64-byte aligned.
  double* chunk(int c) { return data_.data() + static_cast<std::size_t>(c) * rows_ * kLanes; }
  const double* chunk(int c) const {
    return data_.data() + static_cast<std::size_t>(c) * rows_ * kLanes;
  }

  double& operator()(int row, int direction) {
    assert(row >= 0 && row < rows_ && direction >= 0 && direction < count_);
    return chunk(direction / kLanes)[row * kLanes + direction % kLanes];
  }
  double operator()(int row, int direction) const {
    assert(row >= 0 && row < rows_ && direction >= 0 && direction < count_);
    return chunk(direction / kLanes)[row * kLanes + direction % kLanes];
  }

  /// All numbers, padding included: for axpy-like work that does not care about the layout.
  double* data() { return data_.data(); }
  const double* data() const { return data_.data(); }
  std::size_t size() const { return data_.size(); }

 private:
  template <class T>
  struct Aligned {
    using value_type = T;
    Aligned() = default;
    template <class U>
    explicit Aligned(const Aligned<U>&) {}
    T* allocate(std::size_t n) {
      return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}));
    }
    void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
    bool operator==(const Aligned&) const { return true; }
  };

  int rows_ = 0;
  int count_ = 0;
  std::vector<double, Aligned<double>> data_;
};

}  // namespace parfait::math
