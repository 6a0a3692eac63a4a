#pragma once

#include <filesystem>

#include "parfait/io/text/xml_element.h"
#include "parfait/mechanism/description/description.h"

/// The mechanical elements of a model file, each from its XML element.
namespace parfait::io {

/// What only natural coordinates understand goes to `natural`; `folder` is where paths begin.
mechanism::Body read_body(Element& element, mechanism::NaturalCoordinates& natural,
                          const std::filesystem::path& folder);
mechanism::Shape read_shape(Element& element, const std::filesystem::path& folder);
mechanism::Joint read_joint(Element& element);
/// <coordinate> and <axis> of a joint.
mechanism::JointMotion read_motion(Element& joint);
mechanism::Coupling read_coupling(Element& element);
mechanism::SkinMarker read_skin_marker(Element& element);
mechanism::Constraint read_constraint(Element& element);
mechanism::Force read_force(Element& element);
mechanism::Event read_event(Element& element);

}  // namespace parfait::io
