#pragma once

namespace parfait::mbs {

class Model;
struct ModelData;

/// Brings the described initial state onto the constraints (nearest in the mass norm) and stores it
/// in `m`. InputError that names the constraints if that is impossible, or if a joint's axes came
/// together antiparallel.
void assemble(const Model& model, ModelData& m);

}  // namespace parfait::mbs
