#include "parfait/estimate/fit/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "parfait/estimate/experiment/team_tasks.h"
#include "parfait/estimate/fit/profile_walk.h"
#include "parfait/estimate/linear/packing.h"

namespace parfait::estimate {

const char* text(ProfileEnd end) {
  switch (end) {
    case ProfileEnd::kThreshold:
      return "threshold";
    case ProfileEnd::kBound:
      return "bound";
    case ProfileEnd::kOpen:
      return "open";
    case ProfileEnd::kFailed:
      return "failed";
    case ProfileEnd::kInterrupted:
      return "interrupted";
  }
  return "";
}

namespace profile {
namespace {

int index_of(const FitResult& result, const std::string& parameter) {
  std::vector<std::string> names;
  for (int i = 0; i < result.num_shared; ++i) {
    names.push_back(result.estimates[static_cast<std::size_t>(i)].id);
    if (names.back() == parameter) return i;
  }
  throw base::InputError(
      fmt::format("profile of \"{}\": not an estimated parameter.{} "
                  "Parameters: {}.",
                  parameter, base::suggestion(parameter, names), base::listing(names)));
}

void pack(const ProfileSide& side, std::vector<double>& numbers) {
  Packer packer(numbers);
  packer.put(side.end);
  packer.put(static_cast<double>(side.kind));
  packer.put(side.why);
  packer.put(static_cast<double>(side.points.size()));
  for (const auto& point : side.points) {
    packer.put(point.value);
    packer.put(point.objective);
    packer.put(point.converged ? 1.0 : 0.0);
    packer.put(Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(
        point.estimates.data(), static_cast<Eigen::Index>(point.estimates.size()))));
  }
}

ProfileSide unpack(const std::vector<double>& numbers) {
  ProfileSide side;
  Unpacker unpacker(numbers);
  double kind = 0, count = 0, converged = 0;
  unpacker.get(side.end);
  unpacker.get(kind);
  unpacker.get(side.why);
  unpacker.get(count);
  side.kind = static_cast<ProfileEnd>(static_cast<int>(kind));
  for (int i = 0; i < static_cast<int>(count); ++i) {
    auto& point = side.points.emplace_back();
    Eigen::VectorXd estimates;
    unpacker.get(point.value);
    unpacker.get(point.objective);
    unpacker.get(converged);
    unpacker.get(estimates);
    point.converged = converged != 0;
    point.estimates.assign(estimates.begin(), estimates.end());
  }
  return side;
}

/// Both sides put together, the estimate between them.
Profile joined(const FitResult& result, int index, double threshold, const ProfileSide& low,
               const ProfileSide& high) {
  const auto& estimate = result.estimates[static_cast<std::size_t>(index)];
  Profile out;
  out.parameter = estimate.id;
  out.threshold = threshold;
  out.low = low.end;
  out.low_end = low.kind;
  out.high = high.end;
  out.high_end = high.kind;
  out.why = low.why.empty() ? high.why : low.why;
  auto& middle = out.points.emplace_back();
  middle = {.value = estimate.statistics.value, .objective = result.objective, .converged = true};
  for (const auto& e : result.estimates) middle.estimates.push_back(e.statistics.value);
  out.points.insert(out.points.end(), low.points.begin(), low.points.end());
  out.points.insert(out.points.end(), high.points.begin(), high.points.end());
  // Lower by more than what is lost in the accuracy of a fit.
  constexpr double kClearly = 1e-3;
  double least = result.objective - kClearly * (threshold - result.objective);
  for (const auto& point : out.points) {
    if (!point.converged || !(point.objective < least)) continue;
    least = point.objective;
    out.lower_one = point;
  }
  std::ranges::stable_sort(out.points, {}, &Profile::Point::value);
  return out;
}

}  // namespace
}  // namespace profile

std::vector<Profile> make_profiles(const PreparedProblem& prepared, const FitResult& result,
                                   const std::vector<std::string>& parameters,
                                   const OnProfileSide& on_side) {
  std::vector<int> indices;
  indices.reserve(parameters.size());
  for (const auto& parameter : parameters) indices.push_back(profile::index_of(result, parameter));
  const double q = result.scale.individual;
  const double threshold = result.objective + q * q * result.scale.beta2;

  std::mutex telling;
  int done = 0;
  const int all = 2 * static_cast<int>(indices.size());
  const auto walk = [&](int task, std::vector<double>& numbers) {
    profile::pack(
        walk_profile(prepared.problem(), result, indices[static_cast<std::size_t>(task / 2)],
                     task % 2 == 0 ? -1 : 1, threshold),
        numbers);
    const std::lock_guard lock(telling);
    ++done;
    if (on_side) on_side(done, all);
  };
  const auto sides = do_tasks(prepared.team(), all, walk);
  std::vector<Profile> profiles;
  profiles.reserve(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    profiles.push_back(profile::joined(result, indices[i], threshold, profile::unpack(sides[2 * i]),
                                       profile::unpack(sides[2 * i + 1])));
  }
  return profiles;
}

Profile make_profile(const Problem& problem, const FitResult& result,
                     const std::string& parameter) {
  const PreparedProblem prepared(problem);
  return make_profiles(prepared, result, {parameter}).front();
}

}  // namespace parfait::estimate
