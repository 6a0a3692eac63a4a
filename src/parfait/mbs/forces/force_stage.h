#pragma once

#include "parfait/mbs/data/model_data.h"
#include "parfait/mechanism/elements/event.h"
#include "parfait/mechanism/elements/force.h"

/// Force elements at the state the workspace holds: frames in, forces out, wrenches on bodies.
namespace parfait::mbs {

using mechanism::ElementPoint;
using mechanism::Measured;

/// All elements on all bodies: k.force, k.torque, k.axis_force, and the rates of the elements'
/// states.
void apply_forces(const ModelData& m, ModelWorkspace& w);
/// Directions of the same in the present chunk, added to w.d, and w.external.element_lanes. The
/// laws have been prepared.
void add_force_directions(const ModelData& m, ModelWorkspace& w);
/// Values and gradients of the formulas of force laws at the present state.
void prepare_laws(const ModelData& m, ModelWorkspace& w);

/// What an element is to look at; stands in the workspace until the next one. The slots of a law's
/// formula are filled.
ElementPoint<double> look_at(const ModelData& m, ModelWorkspace& w, const ForceSpec& force);
ElementPoint<Dual> look_at_directions(const ModelData& m, ModelWorkspace& w,
                                      const ForceSpec& force);
/// Its forces there, in w.force.forces and w.force_directions.forces.
void act(const ModelData& m, ModelWorkspace& w, const ForceSpec& force);
void act_directions(const ModelData& m, ModelWorkspace& w, const ForceSpec& force);

/// Frames of the ends of a force or event, into `work`; with directions in the present chunk.
void place_ends(const KernelConstants& c, const KernelState& k, std::span<const EndSpec> ends,
                ForceWork<double>& work);
void place_ends(const KernelConstants& c, const KernelState& k, const SeedWork& seed,
                const DirectionState& d, std::span<const EndSpec> ends, ForceWork<Dual>& work);
/// Adds the forces in `work` to the wrenches of the bodies, in k or in d. (W5)
void push_ends(const Structure& s, const KernelConstants& c, std::span<const EndSpec> ends,
               const ForceWork<double>& work, KernelState& k);
void push_ends(const Structure& s, const KernelConstants& c, const KernelState& k,
               const SeedWork& seed, std::span<const EndSpec> ends, const ForceWork<Dual>& work,
               DirectionState& d);

/// The end of an element with directions in the present chunk.
End<Dual> end_with_directions(const KernelConstants& c, const KernelState& k, const SeedWork& seed,
                              const DirectionState& d, const EndSpec& spec);

/// The measure of an event, its ends placed at the present velocities.
Measured<double> measure(ModelWorkspace& w, const EventSpec& event);
Measured<Dual> measure_directions(ModelWorkspace& w, const EventSpec& event);

/// Constants of an element with their directions in the present chunk, into `out`.
void constants_with_directions(const ModelData& m, const ModelWorkspace& w, ConstantRange range,
                               Dual* out);

}  // namespace parfait::mbs
