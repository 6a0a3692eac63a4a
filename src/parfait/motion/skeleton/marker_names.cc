#include "parfait/motion/skeleton/marker_names.h"

#include <algorithm>
#include <cctype>

namespace parfait::motion {
namespace marker_names {
namespace {

struct Landmark {
  const char* name;  ///< of Plug-in Gait, in small letters
  std::vector<const char*> others;
};

/// Plug-in Gait; names of OpenSim's models, of the ISB (Wu et al. 2002, 2005) and of Davis' set as
/// BTS and Codamotion write them.
const std::vector<Landmark>& of_sides() {
  static const std::vector<Landmark> kLandmarks{
      {"asi", {"asis", "ias"}},
      {"psi", {"psis", "ips"}},
      {"thi", {"thigh"}},
      {"kne", {"knee", "kneelat", "latknee", "knee1", "fle"}},
      {"tib", {"tibia"}},
      {"ank", {"ankle", "anklelat", "latankle", "mall", "malleolus", "latmal", "fal"}},
      {"hee", {"heel", "fcc", "calcaneus"}},
      {"toe", {"toetip", "met", "meta", "mt2"}},
      {"sho", {"should", "shoulder", "acromion", "acromium", "acr", "sae"}},
      {"upa", {"upperarm"}},
      {"elb", {"elbow", "elbowlat", "hle"}},
      {"wra", {"wristmed", "rsp"}},
      {"wrb", {"wristlat", "usp"}},
      {"fin", {"finger"}},
      {"fhd", {"fronthead", "headfront"}},
      {"bhd", {"backhead", "headback"}}};
  return kLandmarks;
}

const std::vector<Landmark>& of_the_middle() {
  static const std::vector<Landmark> kLandmarks{{"c7", {"cv7", "vc7"}},
                                                {"t10", {"tv10"}},
                                                {"clav", {"clavicle", "sjn"}},
                                                {"strn", {"sternum", "sxs"}},
                                                {"sacr", {"sacrum", "vsacral", "sacral", "vsac"}}};
  return kLandmarks;
}

std::string known(const std::vector<Landmark>& landmarks, const std::string& name) {
  for (const auto& landmark : landmarks) {
    if (name == landmark.name || std::any_of(landmark.others.begin(), landmark.others.end(),
                                             [&](const char* other) { return name == other; })) {
      return landmark.name;
    }
  }
  return "";
}

/// Letters and digits only, in small letters, without "Subject:".
std::string bare(const std::string& label) {
  const auto colon = label.rfind(':');
  std::string out;
  for (const char c : colon == std::string::npos ? label : label.substr(colon + 1)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

}  // namespace
}  // namespace marker_names

std::string landmark_of(const std::string& label) {
  using namespace marker_names;  // NOLINT(google-build-using-namespace): its own helpers
  const std::string name = bare(label);
  if (auto middle = known(of_the_middle(), name); !middle.empty()) return middle;
  for (const std::string side : {"right", "left", "r", "l"}) {
    const std::string letter = side.substr(0, 1);
    if (name.starts_with(side)) {
      const auto found = known(of_sides(), name.substr(side.size()));
      if (!found.empty()) return letter + found;
    }
    if (name.ends_with(side)) {
      const auto found = known(of_sides(), name.substr(0, name.size() - side.size()));
      if (!found.empty()) return letter + found;
    }
  }
  return "";
}

std::vector<NamePair> same_landmarks(const std::vector<std::string>& markers,
                                     const std::vector<std::string>& labels) {
  // What two names must share: the landmark, or all their letters.
  const auto key = [](const std::string& name) {
    const auto landmark = landmark_of(name);
    return landmark.empty() ? "=" + marker_names::bare(name) : landmark;
  };
  std::vector<std::string> of_markers, of_labels;
  for (const auto& name : markers) of_markers.push_back(key(name));
  for (const auto& name : labels) of_labels.push_back(key(name));
  std::vector<NamePair> out;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    const auto& wanted = of_markers[i];
    if (wanted == "=" || std::count(of_markers.begin(), of_markers.end(), wanted) != 1 ||
        std::count(of_labels.begin(), of_labels.end(), wanted) != 1) {
      continue;
    }
    const auto at = std::find(of_labels.begin(), of_labels.end(), wanted);
    out.emplace_back(markers[i], labels[static_cast<std::size_t>(at - of_labels.begin())]);
  }
  return out;
}

}  // namespace parfait::motion
