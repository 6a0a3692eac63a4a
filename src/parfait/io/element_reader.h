#pragma once

#include "parfait/io/xml_element.h"
#include "parfait/mbs/description.h"

/// The mechanical elements of a model file, each from its XML element.
namespace parfait::io {

mbs::Body read_body(Element& element);
mbs::Joint read_joint(Element& element);
mbs::Constraint read_constraint(Element& element);
mbs::Force read_force(Element& element);
mbs::Event read_event(Element& element);

/// Reads `id` and puts it before the messages about this element: `body "Arm"`.
std::string read_id(Element& element);

}  // namespace parfait::io
