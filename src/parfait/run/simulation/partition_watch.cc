#include "parfait/run/simulation/partition_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "parfait/base/error.h"

namespace parfait::run {
namespace {

// Redundant rows follow from the others to rounding: measured at most 4e-12 in the six-bars and
// four-bars of the examples, 4e-8 in a flat parallelogram that moves as one. Where they do not
// follow, what is missing is of the order of the accelerations: 1.5 if it moves otherwise.
constexpr double kNotRedundant = 1e-6;

bool mentions(const std::string& formula, const std::string& name) {
  for (auto at = formula.find(name); at != std::string::npos; at = formula.find(name, at + 1)) {
    const char before = at == 0 ? ' ' : formula[at - 1];
    if (!std::isalnum(static_cast<unsigned char>(before)) && before != '_' && before != '.') {
      return true;
    }
  }
  return false;
}

}  // namespace

PartitionWatch::PartitionWatch(const mechanism::MechanicalSystem& model, dynamics::ConstVec p)
    : model_(model), dydt_(model.sizes().ny()) {
  if (!model.may_drop_rows()) return;
  workspace_ = model.make_workspace(0);
  model.bind(*workspace_, p);
}

void PartitionWatch::observe(double t, dynamics::ConstVec y, dynamics::Mode mode) {
  if (!workspace_) return;
  const dynamics::Point point{.t = t, .y = y, .z = {}, .mode = mode, .offset = {}};
  if (model_.evaluate(*workspace_, point, dydt_, {}) != dynamics::Status::kOk) return;
  auto partition = model_.partition(*workspace_);
  const int nq = model_.sizes().nq, nv = model_.sizes().nv;
  double scale = 1;
  for (int i = nq; i < nq + nv; ++i) scale = std::max(scale, std::abs(dydt_[i]));
  if (partition.largest_residual / scale > worst_) {
    worst_ = partition.largest_residual / scale;
    worst_residual_ = partition.largest_residual;
    worst_row_ = partition.worst_row;
    worst_t_ = t;
  }
  if (choices_.empty() || choices_.back().rows != partition.dropped) {
    choices_.push_back({t, std::move(partition.dropped)});
  }
}

std::vector<std::string> PartitionWatch::names(const std::vector<int>& rows) const {
  std::vector<std::string> out;
  out.reserve(rows.size());
  for (int row : rows) out.push_back(model_.row_name(row));
  return out;
}

std::vector<std::string> PartitionWatch::warnings(
    const std::vector<std::string>& quantities) const {
  std::vector<std::string> out;
  if (worst_ > kNotRedundant) {
    out.push_back(fmt::format(
        "singular position at t = {:g} s: {} was left out as redundant but is not, its "
        "acceleration is off by {:.2g}. The mechanism can move on in several ways here.",
        worst_t_, model_.row_name(worst_row_), worst_residual_));
  }
  std::set<int> rows;
  for (const auto& choice : choices_) rows.insert(choice.rows.begin(), choice.rows.end());
  std::vector<std::string> ambiguous;
  for (const auto& joint : model_.joints_in_loops_of({rows.begin(), rows.end()})) {
    const bool asked = std::any_of(quantities.begin(), quantities.end(), [&](const auto& quantity) {
      return mentions(quantity, joint + ".reaction.");
    });
    if (asked) ambiguous.push_back(joint);
  }
  if (!ambiguous.empty()) {
    out.push_back(fmt::format(
        "reactions of {} are not unique: rows of their loop are redundant; those shown belong to "
        "the rows that are kept.",
        base::listing(ambiguous)));
  }
  return out;
}

result::Partition PartitionWatch::result() const {
  result::Partition out;
  out.rank_tolerance = model_.rank_tolerance();
  for (const auto& choice : choices_) out.choices.push_back({choice.t, names(choice.rows)});
  out.largest_residual = worst_residual_;
  if (worst_row_ >= 0) out.worst = {model_.row_name(worst_row_), worst_t_};
  return out;
}

}  // namespace parfait::run
