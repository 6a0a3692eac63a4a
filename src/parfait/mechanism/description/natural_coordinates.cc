#include "parfait/mechanism/description/natural_coordinates.h"

#include <fmt/format.h>

#include "parfait/dynamics/check_vocabulary.h"
#include "parfait/mechanism/description/description.h"

namespace parfait::mechanism {
namespace natural {
namespace {

std::string coordinates_text(BodyCoordinates coordinates) {
  for (const auto& choice : body_coordinates_names()) {
    if (choice.coordinates == coordinates) return choice.name;
  }
  return "";
}

std::string released_text(const Released& released) {
  std::string text;
  for (const auto& [name, flag] : released_names()) {
    if (released.*flag) text += (text.empty() ? "" : " ") + std::string(name);
  }
  return text;
}

}  // namespace
}  // namespace natural

const NaturalBody& NaturalCoordinates::of(const std::string& body) const {
  static const NaturalBody kDefaults;
  const auto it = bodies.find(body);
  return it == bodies.end() ? kDefaults : it->second;
}

std::span<const BodyCoordinatesName> body_coordinates_names() {
  static constexpr BodyCoordinatesName kNames[] = {
      {"origin_axes", BodyCoordinates::kOriginAndAxes},
      {"two_points", BodyCoordinates::kTwoPointsTwoVectors},
      {"four_points", BodyCoordinates::kFourPoints}};
  return kNames;
}

std::span<const ReleasedName> released_names() {
  static constexpr ReleasedName kNames[] = {{"xx", &Released::xx}, {"yy", &Released::yy},
                                            {"zz", &Released::zz}, {"xy", &Released::xy},
                                            {"xz", &Released::xz}, {"yz", &Released::yz}};
  return kNames;
}

std::vector<NaturalFeature> natural_features(const Description& description) {
  std::vector<NaturalFeature> found;
  const auto& natural = description.natural;
  if (natural.rank_tolerance != NaturalCoordinates().rank_tolerance) {
    found.push_back({fmt::format("model: rank_tolerance=\"{:g}\"", natural.rank_tolerance),
                     natural.rank_tolerance_place});
  }
  for (const auto& body : description.bodies) {
    const auto& own = natural.of(body.id);
    const std::string label = dynamics::element_label("body", body.id);
    if (own.coordinates != BodyCoordinates::kOriginAndAxes) {
      found.push_back(
          {fmt::format("{}: coordinates=\"{}\"", label, natural::coordinates_text(own.coordinates)),
           dynamics::place_or(own.coordinates_place, body.place)});
    }
    if (own.released.any()) {
      found.push_back(
          {fmt::format("{}: release=\"{}\"", label, natural::released_text(own.released)),
           dynamics::place_or(own.released_place, body.place)});
    }
  }
  return found;
}

void refuse_natural_features(const Description& description, const std::string& coordinates) {
  const auto found = natural_features(description);
  if (found.empty()) return;
  std::string others;
  for (std::size_t i = 1; i < found.size(); ++i) {
    others += (i == 1 ? " So do: " : "; ") + found[i].name;
  }
  throw base::InputError(
      found.front().place,
      fmt::format("{} needs natural coordinates, and the model is to run in {}.{}",
                  found.front().name, coordinates, others.empty() ? "" : others + "."));
}

}  // namespace parfait::mechanism
