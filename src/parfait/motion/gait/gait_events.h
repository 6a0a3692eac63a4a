#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "parfait/math/vec3.h"

/// Walking: when feet strike and leave the ground, what follows from that, and curves over cycles.
namespace parfait::motion {

using math::Vec3;

enum class Side : std::uint8_t { kLeft, kRight };
inline constexpr std::array<Side, 2> kBothSides{Side::kLeft, Side::kRight};
enum class GaitEventKind : std::uint8_t { kStrike, kOff };

struct GaitEvent {
  double t = 0;  ///< s
  Side side = Side::kLeft;
  GaitEventKind kind = GaitEventKind::kStrike;
};

/// Paths of points of a walking person, m; NaN: missing.
struct WalkPaths {
  std::vector<double> t;  ///< s, evenly spaced
  Vec3<double> up{0, 0, 1};
  std::vector<Vec3<double>> pelvis;
  struct Foot {
    std::vector<Vec3<double>> heel, toe;
  };
  std::array<Foot, 2> feet;  ///< by side
};

/// Horizontal unit vector in which somebody walks: of the way of the pelvis or, on a treadmill
/// (less than 0.2 m/s), the mean direction from heel to toe.
struct Progression {
  Vec3<double> forward{};
  double pelvis_speed = 0;  ///< m/s
  bool treadmill = false;
};
Progression find_progression(const WalkPaths& paths);

/// Strikes where the heel is farthest ahead of the pelvis, offs where the toe is farthest behind it
/// (Zeni, Richards and Higginson 2008), of paths that are filtered at 6 Hz without delay (gaps of
/// at most 0.2 s are bridged for that), between two samples by a parabola. An extremum counts if
/// the path departs from it by 0.3 of its range on both sides. In order of time.
std::vector<GaitEvent> events_from_kinematics(const WalkPaths& paths);

/// Vertical force of a plate and centre of pressure, as it exerts it on the subject.
struct PlateSignal {
  std::vector<double> t;
  std::vector<double> vertical;        ///< N, up
  std::vector<Vec3<double>> pressure;  ///< m; NaN: none
};
/// Strikes and offs where the force crosses `threshold`, between two samples by a line. A contact
/// is shorter than 0.05 s: none; it belongs to the foot whose middle is nearer to the centre of
/// pressure on the average, and to none farther than 0.35 m. A contact on two plates in a row, or
/// one that begins or ends with the record, has no event there.
std::vector<GaitEvent> events_from_forces(const WalkPaths& paths,
                                          const std::vector<PlateSignal>& plates,
                                          double threshold = 20);

/// An event and the one of the same kind and side that is nearest to it in another list.
struct EventComparison {
  GaitEvent event;
  double difference = 0;  ///< event - the other, s; NaN: none within 0.2 s
};
std::vector<EventComparison> compare_events(const std::vector<GaitEvent>& events,
                                            const std::vector<GaitEvent>& others);

}  // namespace parfait::motion
