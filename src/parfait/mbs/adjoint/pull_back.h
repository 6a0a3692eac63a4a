#pragma once

#include "parfait/mbs/data/model_data.h"

/// Pull-backs of a model: adjoints of the state and, added up, of its constants
/// (docs/theory/adjoint.md). Models with released bodies have those of any system.
namespace parfait::mbs {

/// Room for adjoints, all zero; once.
void size_adjoints(const ModelData& m, ModelWorkspace& w);

/// Adjoints of bodies are zero: a pull-back begins.
void begin_pull_back(ModelWorkspace& w);
/// Seeds of (o'', e1'', e2'', e3''), or of (o, e1, e2, e3) on another level, in the coordinates
/// that bodies show: added to those of centre and axes. `x` are the axes on that level, for the
/// adjoint of c, which is subtracted.
void add_seeds(const ModelData& m, ModelWorkspace& w, const double* user,
               const V4* (*axes)(const BodyFrame& f));

/// Adjoints of the elements' ends, constants and states from w, alpha and from the seeds of the
/// rates of external states.
void pull_back_forces(const ModelData& m, ModelWorkspace& w, const double* rate_seeds);

/// Formulas of external states, and what laws read besides their measures, to their slots and from
/// there on.
void pull_back_external(const ModelData& m, ModelWorkspace& w, const double* rate_seeds);

/// What a quantity is computed from, `seed` times: w.adjoint.bodies, and seeds of accelerations and
/// multipliers. Between begin_quantities() and the last of them nobody else uses directions.
void begin_quantities(const ModelData& m, ModelWorkspace& w);
void pull_back_quantity(const ModelData& m, ModelWorkspace& w, const Quantity& quantity,
                        double seed);

/// Slots of formulas to t, parameters, external states and quantities (`first`, their slots).
void pull_back_slots(const ModelData& m, ModelWorkspace& w, int first,
                     const std::vector<Quantity>& quantities);

/// Adjoints of frames to those of the coordinates that bodies show, added to `to` with those of t
/// and external states.
void unload_bodies(const ModelData& m, ModelWorkspace& w, dynamics::Pulled& to);

/// The right-hand side: from seeds of the bodies, of multipliers (w.adjoint.row; null: none) and of
/// the rates of external states.
void pull_back_solution(const ModelData& m, ModelWorkspace& w, const double* row,
                        const double* rate_seeds, dynamics::Pulled& to);

}  // namespace parfait::mbs
