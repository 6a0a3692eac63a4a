#pragma once

#include <string>
#include <utility>
#include <vector>

/// Names that laboratories give to the same place of the body.
namespace parfait::motion {

/// "L.ASIS", "LASI", "left_asis", "Anna:LIAS" are "lasi", "r mall" and "RANK" are "rank", "C7" is
/// "c7"; empty for a name that is none of the known landmarks.
std::string landmark_of(const std::string& label);

/// A marker of the model and the label that may be meant by it.
using NamePair = std::pair<std::string, std::string>;

/// Markers and labels that are the same landmark, where only one marker and one label is. Labels
/// that differ in nothing but capitals, blanks and points belong together, too.
std::vector<NamePair> same_landmarks(const std::vector<std::string>& markers,
                                     const std::vector<std::string>& labels);

}  // namespace parfait::motion
