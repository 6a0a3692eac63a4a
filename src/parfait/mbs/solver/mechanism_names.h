#pragma once

#include "parfait/math/symmetric.h"
#include "parfait/mechanism/description/description.h"
#include "parfait/mechanism/elements/constraint_row.h"
#include "parfait/mechanism/elements/registry.h"

/// The words of a mechanism that this room uses as its own.
namespace parfait::mbs {

using mechanism::Assignment;
using mechanism::Body;
using mechanism::BodyCoordinates;
using mechanism::Constraint;
using mechanism::Description;
using mechanism::Event;
using mechanism::Force;
using mechanism::Frame;
using mechanism::InertiaPoint;
using mechanism::Input;
using mechanism::Interpolation;
using mechanism::Joint;
using mechanism::kInertial;
using mechanism::Marker;
using mechanism::NamedValue;
using mechanism::Number3;
using mechanism::Parameter;
using mechanism::Passage;
using mechanism::Place;
using mechanism::Released;
using mechanism::Side;
using mechanism::Simulation;
using mechanism::State;
using mechanism::Value;
using mechanism::Value3;

using mechanism::ConstantInfo;
using mechanism::EventType;
using mechanism::ForceType;
using mechanism::JointType;
using mechanism::Registry;
using mechanism::registry;
using mechanism::Row;
using mechanism::RowGradient;
using mechanism::RowKind;
using mechanism::RowMotion;
using mechanism::RowOffset;

using math::kEntry;
using math::kPair;

}  // namespace parfait::mbs
