#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "parfait/io/foreign/xml_edits.h"

namespace parfait::io {

/// Factors of bodies along their axes, by name.
using BodyFactors = std::map<std::string, std::array<double, 3>>;

/// What lies on the bodies of an OpenSim model and no mechanism knows, in the size of its body:
///
///   path points of muscles, also conditional ones     location times the factors
///   wrap objects                                      translation times the factors
///   meshes                                            scale_factors times the factors
///
/// `told`: what is left as it was (moving path points; fibre and tendon lengths; radii of wrap
/// objects).
void scale_attachments(const XmlSource& source, const BodyFactors& factors, XmlEdits& edits,
                       std::vector<std::string>& told);

}  // namespace parfait::io
