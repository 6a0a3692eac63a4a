#include <string>
#include <type_traits>

#include "parfait/mechanism/elements/muscle_fiber.h"
#include "parfait/mechanism/elements/muscle_path.h"
#include "parfait/mechanism/elements/registry.h"
#include "parfait/mechanism/elements/standard_elements.h"

// Muscles: Kraus 2006, section 6.4, with the contractile element he leaves to others
// (docs/theory/muscles.md).
namespace parfait::mechanism {
namespace {

constexpr unsigned kCordUse = kPoint | kVelocity | kForce;
constexpr unsigned kObstacleUse = kCordUse | kAxes | kAxisRates | kAxisForces;
constexpr int kMostEnds = 9;

/// What an end of a path reads and gives: points, and the axes of an obstacle.
template <class Obstacle>
unsigned path_use(int end, int num_ends) {
  return Obstacle::kWraps && end == num_ends - 2 ? kObstacleUse : kCordUse;
}

/// Active: states are the activation q and the length l of the fibres.
///
///   q' = (beta + (1 - beta) u) (u - q) / tau_on,  beta = tau_on / tau_off    (Zajac 1989)
///   l' = v(F_CE / q),  F_CE = F_SEE / cos - F_PEE                            (Hill)
template <class Obstacle>
class Muscle {
 public:
  enum Constant {
    kMaxForce,
    kOptimalLength,
    kSlackLength,
    kWidth,
    kTendonStrain,
    kPennation,
    kHillA,
    kHillB,
    kParallelSlack,
    kParallelForce,
    kActivationTime,
    kDeactivationTime,
    kExcitation,
    kActivation,
    kFiberLength,
    kRadius,
    kSense,
  };
  enum StateIndex { kActivationState, kFiberState };
  enum Switch { kTendon, kParallel, kReach, kEccentric, kContact };

  explicit Muscle(int num_ends = 2) : num_ends_(num_ends) {}

  unsigned use(int end) const { return path_use<Obstacle>(end, num_ends_); }

  template <class S>
  void act(const ElementPoint<S>& at, const ElementForces<S>& out) const {
    const Path<S> path = follow(at, out.ends);
    const Fiber<S> fiber = fiber_of(at);
    const auto pieces = pieces_of<S>(at);
    const S &q = at.states[kActivationState], &l = at.states[kFiberState];
    const S F = fiber.max_force * fiber.tendon(path.length, l, pieces);
    for (auto& end : out.ends) {
      end.force = F * end.force;
      for (auto& axis : end.axis) axis = F * axis;
    }
    const S u = excitation(at, path);
    const S &on = at.constants[kActivationTime], &off = at.constants[kDeactivationTime];
    const S beta = on / off;
    out.rates[kActivationState] = (beta + (S(1.0) - beta) * u) * (u - q) / on;
    out.rates[kFiberState] = fiber.velocity(path.length, l, q, pieces);
  }
  /// length, rate, force, fiber_rate, tendon_length, pennation cosine.
  template <class S>
  S quantity(const ElementPoint<S>& at, int i) const {
    EndForce<S> scratch[kMostEnds];
    const Path<S> path = follow(at, std::span(scratch, at.ends.size()));
    const Fiber<S> fiber = fiber_of(at);
    const auto pieces = pieces_of<S>(at);
    const S& l = at.states[kFiberState];
    switch (i) {
      case 0:
        return path.length;
      case 1:
        return path.rate;
      case 2:
        return fiber.max_force * fiber.tendon(path.length, l, pieces);
      case 3:
        return fiber.velocity(path.length, l, at.states[kActivationState], pieces);
      default:
        return path.length - l * fiber.cosine(l);
    }
  }
  std::vector<dynamics::SwitchInfo> switch_infos() const {
    std::vector<dynamics::SwitchInfo> infos{{.name = "tendon taut"},
                                            {.name = "parallel element taut"},
                                            {.name = "fibres in reach"},
                                            {.name = "fibres lengthen"}};
    if (Obstacle::kWraps) infos.push_back({.name = "touches its obstacle"});
    return infos;
  }
  template <class S>
  void switches(const ElementPoint<S>& at, std::span<S> out) const {
    EndForce<S> scratch[kMostEnds];
    const Path<S> path = follow(at, std::span(scratch, at.ends.size()));
    const Fiber<S> fiber = fiber_of(at);
    const auto pieces = pieces_of<S>(at);
    const S &q = at.states[kActivationState], &l = at.states[kFiberState];
    out[kTendon] = fiber.tendon_stretch(path.length, l);
    out[kParallel] = fiber.parallel_stretch(l);
    out[kReach] = fiber.reach(l);
    out[kEccentric] = fiber.contractile(path.length, l, pieces) / Fiber<S>::active(q) -
                      fiber.least(fiber.isometric(l, pieces));
    if (Obstacle::kWraps) out[kContact] = path.wrap;
  }
  /// Fibres at rest, unless their length is given.
  template <class S>
  void start(const ElementPoint<S>& at, std::span<S> states) const {
    if (math::value_of(states[kFiberState]) > 0) return;
    EndForce<S> scratch[kMostEnds];
    const Path<S> path = follow(at, std::span(scratch, at.ends.size()));
    states[kFiberState] = fiber_of(at).equilibrium(path.length, states[kActivationState]);
  }
  template <class S>
  void pull(const ElementPoint<S>& at, std::span<EndForce<S>> out) const {
    follow(at, out);
  }

 private:
  template <class S>
  Path<S> follow(const ElementPoint<S>& at, std::span<EndForce<S>> pull) const {
    const bool wraps = at.mode && Obstacle::kWraps && at.mode[kContact] > 0;
    const S radius = Obstacle::kWraps ? at.constants[kRadius] : S(0.0);
    const double sense = Obstacle::kWraps && math::value_of(at.constants[kSense]) < 0 ? -1 : 1;
    return mechanism::follow<Obstacle>(at, radius, sense, at.mode ? &wraps : nullptr, pull);
  }
  template <class S>
  static Fiber<S> fiber_of(const ElementPoint<S>& at) {
    const auto& c = at.constants;
    return {c[kMaxForce],      c[kOptimalLength], c[kSlackLength], c[kWidth],
            c[kTendonStrain],  c[kPennation],     c[kHillA],       c[kHillB],
            c[kParallelSlack], c[kParallelForce]};
  }
  template <class S>
  static typename Fiber<S>::Pieces pieces_of(const ElementPoint<S>& at) {
    if (!at.mode) return {};
    const auto piece = [&](int i) { return at.mode[i] > 0 ? 1 : 0; };
    return {piece(kTendon), piece(kParallel), piece(kReach), piece(kEccentric)};
  }
  template <class S>
  static S excitation(const ElementPoint<S>& at, const Path<S>& path) {
    return at.law ? (*at.law)(path.length, path.rate) : at.constants[kExcitation];
  }

  int num_ends_;
};

/// Passive: tendon and parallel element in series, algebraically. Both are F = k x^2, so together
/// F = k (L - L_0)^2 with 1/sqrt(k) = 1/sqrt(k_SEE) + 1/sqrt(k_PEE).
template <class Obstacle>
class PassiveMuscle {
 public:
  enum Constant {
    kMaxForce,
    kOptimalLength,
    kSlackLength,
    kWidth,
    kTendonStrain,
    kParallelSlack,
    kParallelForce,
    kRadius,
    kSense,
  };
  enum Switch { kTaut, kContact };

  explicit PassiveMuscle(int num_ends = 2) : num_ends_(num_ends) {}

  unsigned use(int end) const { return path_use<Obstacle>(end, num_ends_); }
  template <class S>
  void act(const ElementPoint<S>& at, const ElementForces<S>& out) const {
    const Path<S> path = follow(at, out.ends);
    const S F = force(at, path);
    for (auto& end : out.ends) {
      end.force = F * end.force;
      for (auto& axis : end.axis) axis = F * axis;
    }
  }
  template <class S>
  S potential(const ElementPoint<S>& at) const {
    EndForce<S> scratch[kMostEnds];
    const Path<S> path = follow(at, std::span(scratch, at.ends.size()));
    return force(at, path) * stretch(at, path) * S(1.0 / 3);
  }
  template <class S>
  S quantity(const ElementPoint<S>& at, int i) const {
    EndForce<S> scratch[kMostEnds];
    const Path<S> path = follow(at, std::span(scratch, at.ends.size()));
    if (i == 0) return path.length;
    if (i == 1) return path.rate;
    if (i == 2) return force(at, path);
    const auto [tendon, parallel] = compliances(at);
    S l = at.constants[kParallelSlack] * at.constants[kOptimalLength];
    if (!is_taut(at, path)) return l;
    return l + stretch(at, path) * parallel / (tendon + parallel);
  }
  std::vector<dynamics::SwitchInfo> switch_infos() const {
    std::vector<dynamics::SwitchInfo> infos{{.name = "taut"}};
    if (Obstacle::kWraps) infos.push_back({.name = "touches its obstacle"});
    return infos;
  }
  template <class S>
  void switches(const ElementPoint<S>& at, std::span<S> out) const {
    EndForce<S> scratch[kMostEnds];
    const Path<S> path = follow(at, std::span(scratch, at.ends.size()));
    out[kTaut] = stretch(at, path);
    if (Obstacle::kWraps) out[kContact] = path.wrap;
  }
  template <class S>
  void pull(const ElementPoint<S>& at, std::span<EndForce<S>> out) const {
    follow(at, out);
  }

 private:
  template <class S>
  Path<S> follow(const ElementPoint<S>& at, std::span<EndForce<S>> pull) const {
    const bool wraps = at.mode && Obstacle::kWraps && at.mode[kContact] > 0;
    const S radius = Obstacle::kWraps ? at.constants[kRadius] : S(0.0);
    const double sense = Obstacle::kWraps && math::value_of(at.constants[kSense]) < 0 ? -1 : 1;
    return mechanism::follow<Obstacle>(at, radius, sense, at.mode ? &wraps : nullptr, pull);
  }
  template <class S>
  static S stretch(const ElementPoint<S>& at, const Path<S>& path) {
    const auto& c = at.constants;
    return path.length - c[kSlackLength] - c[kParallelSlack] * c[kOptimalLength];
  }
  template <class S>
  static bool is_taut(const ElementPoint<S>& at, const Path<S>& path) {
    return at.mode ? at.mode[kTaut] > 0 : math::value_of(stretch(at, path)) >= 0;
  }
  /// 1/sqrt(k) of tendon and parallel element.
  template <class S>
  static std::pair<S, S> compliances(const ElementPoint<S>& at) {
    using math::sqrt;
    using std::sqrt;
    const auto& c = at.constants;
    const S root = sqrt(c[kMaxForce]);
    const S reach = c[kOptimalLength] * (S(1.0) + c[kWidth] - c[kParallelSlack]);
    return {c[kTendonStrain] * c[kSlackLength] / root, reach / (root * sqrt(c[kParallelForce]))};
  }
  template <class S>
  static S force(const ElementPoint<S>& at, const Path<S>& path) {
    if (!is_taut(at, path)) return S(0.0);
    const auto [tendon, parallel] = compliances(at);
    const S root = stretch(at, path) / (tendon + parallel);
    return root * root;
  }

  int num_ends_;
};

template <class Element>
auto path_maker() {
  return [](const Force& force) {
    return std::make_unique<WrittenForce<Element>>(Element(static_cast<int>(force.via.size()) + 2));
  };
}

/// What a path goes round.
struct ObstacleInfo {
  const char* suffix;
  const char* summary;
  int least_ends;
};
template <class Obstacle>
ObstacleInfo obstacle_info() {
  if constexpr (std::is_same_v<Obstacle, paths::Cylinder>) {
    return {"_Cylinder", ", round the z axis of the last via in the sense given", 3};
  } else if constexpr (std::is_same_v<Obstacle, paths::Sphere>) {
    return {"_Sphere", ", round the origin of the last via the short way", 3};
  } else {
    return {"", "", 2};
  }
}

template <class Obstacle>
void add_obstacle_constants(ForceType& type) {
  if (!Obstacle::kWraps) return;
  type.constants.push_back({"radius", "m", "of the obstacle", {}});
  type.constants.push_back({"sense", "1",
                            "1: counterclockwise round z of the obstacle, seen against z; -1: "
                            "clockwise; a sphere is passed the short way",
                            1.0});
}

std::vector<ConstantInfo> tendon_constants() {
  return {{"max_force", "N", "isometric force at the optimal length, fully active", {}},
          {"optimal_length", "m", "of the fibres", {}},
          {"slack_length", "m", "of the tendon", {}},
          {"width", "1", "of the force-length relation: no force at 1 -+ width", 0.56},
          {"tendon_strain", "1", "of the tendon at max_force", 0.04}};
}
void add_parallel_constants(ForceType& type) {
  type.constants.push_back(
      {"parallel_slack", "1", "slack length of the parallel element over the optimal one", 1.4});
  type.constants.push_back(
      {"parallel_force", "1", "its force at 1 + width optimal lengths over max_force", 0.5});
}

template <class Obstacle>
void add_muscle_types(Registry& r) {
  const ObstacleInfo info = obstacle_info<Obstacle>();
  ForceType active{
      .key = std::string("Muscle") + info.suffix,
      .summary = std::string("Hill's muscle: fibres with activation, and a tendon, from begin "
                             "through every via to end") +
                 info.summary,
      .constants = tendon_constants(),
      .min_ends = info.least_ends,
      .max_ends = kMostEnds};
  active.constants.push_back({"pennation", "rad", "of the fibres at the optimal length", 0.0});
  active.constants.push_back({"a", "1", "Hill's constant a over max_force", 0.41});
  active.constants.push_back({"b", "1/s", "Hill's constant b over the optimal length", 5.2});
  add_parallel_constants(active);
  active.constants.push_back({"activation_time", "s", "time constant of rising activation", 0.011});
  active.constants.push_back({"deactivation_time", "s", "of falling activation", 0.068});
  active.constants.push_back({"excitation", "1",
                              "0 to 1: constant, or a formula of t, parameters, states and inputs",
                              0.0});
  active.constants.push_back({"activation", "1", "state: q, at the start", 0.005});
  active.constants.push_back(
      {"fiber_length", "m", "state: of the fibres, at the start; 0: that at which they rest", 0.0});
  add_obstacle_constants<Obstacle>(active);
  active.make = path_maker<Muscle<Obstacle>>();
  active.quantities = {{"length", "m", "of the whole path"},
                       {"rate", "m/s", "its rate"},
                       {"force", "N", "of the tendon"},
                       {"fiber_rate", "m/s", "rate of the length of the fibres"},
                       {"tendon_length", "m", "of the tendon"}};
  active.states = {{.constant = Muscle<Obstacle>::kActivation},
                   {.constant = Muscle<Obstacle>::kFiberLength}};
  active.law_constant = Muscle<Obstacle>::kExcitation;
  r.add(std::move(active));

  ForceType passive{
      .key = std::string("Passive_Muscle") + info.suffix,
      .summary = std::string("a muscle that is not active: parallel element and tendon in series, "
                             "from begin through every via to end") +
                 info.summary,
      .constants = tendon_constants(),
      .min_ends = info.least_ends,
      .max_ends = kMostEnds};
  add_parallel_constants(passive);
  add_obstacle_constants<Obstacle>(passive);
  passive.make = path_maker<PassiveMuscle<Obstacle>>();
  passive.quantities = {{"length", "m", "of the whole path"},
                        {"rate", "m/s", "its rate"},
                        {"force", "N", "of the tendon"},
                        {"fiber_length", "m", "of the parallel element"}};
  passive.accounts_for_power = true;
  r.add(std::move(passive));
}

}  // namespace

void add_muscles(Registry& r) {
  add_muscle_types<paths::Straight>(r);
  add_muscle_types<paths::Cylinder>(r);
  add_muscle_types<paths::Sphere>(r);
}

}  // namespace parfait::mechanism
