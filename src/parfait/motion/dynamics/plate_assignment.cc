#include "parfait/motion/dynamics/plate_assignment.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parfait/tree/algorithms/algorithms.h"

namespace parfait::motion {
namespace {

struct Interval {
  std::size_t begin, end;  ///< samples [begin, end)
};

std::vector<Interval> contacts_of(const PlateRecord& plate) {
  std::vector<Interval> out;
  std::size_t begin = plate.force.size();
  for (std::size_t i = 0; i <= plate.force.size(); ++i) {
    const bool on = i < plate.force.size() &&
                    dot(plate.force[i], plate.force[i]) > kContactForce * kContactForce;
    if (on && begin == plate.force.size()) begin = i;
    if (on || begin == plate.force.size()) continue;
    if (plate.time[i - 1] - plate.time[begin] >= kContactTime) out.push_back({begin, i});
    begin = plate.force.size();
  }
  return out;
}

/// Where the feet are at the samples of the motion.
class FootPlaces {
 public:
  FootPlaces(const tree::MechanismTree& mechanism, const std::vector<double>& time,
             const std::vector<std::vector<double>>& values, const std::vector<int>& feet)
      : time_(time), places_(feet.size()) {
    tree::Workspace ws(mechanism.tree());
    std::vector<double> q = mechanism.q();
    for (std::size_t row = 0; row < time.size(); ++row) {
      for (std::size_t c = 0; c < values.size(); ++c) {
        const int at = mechanism.coordinates()[c].q;
        if (at >= 0) q[at] = values[c][row];
      }
      for (std::size_t f = 0; f < feet.size(); ++f) {
        const auto& center = mechanism.tree().constants.bodies[feet[f]].center;
        places_[f].push_back(tree::point_position(mechanism.tree(), q, feet[f], center, ws));
      }
    }
  }
  bool knows(double t) const { return t >= time_.front() && t <= time_.back(); }
  /// At the nearest sample.
  const Vec3<double>& at(std::size_t foot, double t) const {
    const auto after = std::lower_bound(time_.begin(), time_.end(), t);
    std::size_t i = std::min(static_cast<std::size_t>(after - time_.begin()), time_.size() - 1);
    if (i > 0 && t - time_[i - 1] < time_[i] - t) --i;
    return places_[foot][i];
  }

 private:
  const std::vector<double>& time_;
  std::vector<std::vector<Vec3<double>>> places_;
};

}  // namespace

PlateLoads assign_plates(const tree::MechanismTree& mechanism, const std::vector<double>& time,
                         const std::vector<std::vector<double>>& values,
                         const std::vector<PlateRecord>& plates, const std::vector<int>& feet) {
  PlateLoads out;
  if (feet.empty() || time.empty()) return out;
  const FootPlaces places(mechanism, time, values, feet);
  for (const PlateRecord& plate : plates) {
    std::vector<int> load_of(feet.size(), -1);
    for (const Interval& interval : contacts_of(plate)) {
      std::vector<double> sum(feet.size(), 0.0);
      int count = 0;
      for (std::size_t i = interval.begin; i < interval.end; ++i) {
        const Vec3<double>& p = plate.pressure[i];
        if (!std::isfinite(p.x + p.y + p.z) || !places.knows(plate.time[i])) continue;
        ++count;
        for (std::size_t f = 0; f < feet.size(); ++f) {
          const Vec3<double> r = places.at(f, plate.time[i]) - p;
          sum[f] += std::sqrt(dot(r, r));
        }
      }
      if (count == 0) continue;
      const auto nearest =
          static_cast<std::size_t>(std::min_element(sum.begin(), sum.end()) - sum.begin());
      PlateContact contact{plate.name,
                           static_cast<int>(nearest),
                           plate.time[interval.begin],
                           plate.time[interval.end - 1],
                           sum[nearest] / count,
                           std::numeric_limits<double>::infinity()};
      for (std::size_t f = 0; f < feet.size(); ++f) {
        if (f != nearest) contact.other_distance = std::min(contact.other_distance, sum[f] / count);
      }
      out.contacts.push_back(contact);
      if (load_of[nearest] < 0) {
        load_of[nearest] = static_cast<int>(out.loads.size());
        ExternalLoad load;
        load.name = plate.name;
        load.body = feet[nearest];
        load.time = plate.time;
        load.force.resize(plate.time.size());
        load.moment.resize(plate.time.size());
        load.point.resize(plate.time.size());  // the world's origin
        out.loads.push_back(std::move(load));
        out.load_foot.push_back(static_cast<int>(nearest));
      }
      ExternalLoad& load = out.loads[static_cast<std::size_t>(load_of[nearest])];
      for (std::size_t i = interval.begin; i < interval.end; ++i) {
        load.force[i] = plate.force[i];
        load.moment[i] = plate.moment[i];
      }
    }
  }
  return out;
}

}  // namespace parfait::motion
