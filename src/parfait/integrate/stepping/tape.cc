#include "parfait/integrate/stepping/tape.h"

#include <algorithm>
#include <cmath>

namespace parfait::integrate {

void Tape::begin(double t0, std::size_t ny) {
  t0_ = t0;
  ny_ = ny;
  stride_ = 1;
  steps_.clear();
  pieces_.clear();
  events_.clear();
  states_.clear();
}

void Tape::set_piece(const std::vector<std::int8_t>& mode, double latest,
                     const std::vector<double>& z) {
  pieces_.push_back({mode, latest, z});
}

void Tape::add_step(double t0, double t1, double end, bool cut, dynamics::ConstVec y0, int order) {
  const int index = static_cast<int>(steps_.size());
  steps_.push_back({.t0 = t0,
                    .t1 = t1,
                    .end = end,
                    .cut = cut,
                    .piece = static_cast<int>(pieces_.size()) - 1,
                    .num_events = static_cast<int>(events_.size()),
                    .order = order});
  if (index % stride_ != 0) return;
  states_.emplace_back(y0.begin(), y0.end());
  const double size = static_cast<double>(ny_ * sizeof(double));
  const auto fits = [&](double count) { return count * size <= memory_; };
  // All of them without a stride, half of the room with one.
  const double count = static_cast<double>(states_.size());
  if (fits(stride_ == 1 ? count : 2 * count) || states_.size() < 2) return;
  for (std::size_t i = 1; 2 * i < states_.size(); ++i) states_[i] = std::move(states_[2 * i]);
  states_.resize((states_.size() + 1) / 2);
  stride_ *= 2;
}

double Tape::bytes() const {
  const double between = stride_ > 1 ? stride_ : 0;
  return (static_cast<double>(states_.size()) + between) *
         static_cast<double>(ny_ * sizeof(double));
}

double Tape::least_memory() const {
  const double steps = static_cast<double>(steps_.size());
  return 2 * (std::ceil(std::sqrt(2 * steps)) + 1) * static_cast<double>(ny_ * sizeof(double));
}

}  // namespace parfait::integrate
