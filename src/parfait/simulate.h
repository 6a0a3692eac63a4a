#pragma once

#include "parfait/run/job/model.h"
#include "parfait/run/simulation/modes.h"
#include "parfait/run/simulation/simulation.h"

/// Models and their motions, for programs that use the library:
///
///   auto run = parfait::simulate({.file = "model.xml", .until = 10, .sensitivity = {"k"}});
///   run.trajectory.column("Load.com.x");    // one number per row; column("t") are the times
///   run.trajectory.column("dLoad.com.x/dk");
///
/// A model may also be described in code (dynamics::FormulaModel, mechanism::Description) and made
/// with make_model(). What is wrong with the input is thrown as base::InputError; a simulation that
/// does not get to its end is a result with a status.
namespace parfait {

using base::InputError;
using dynamics::FormulaModel;
using run::Callbacks;
using run::find_modes;
using run::load_model;
using run::make_model;
using run::Model;
using run::ModesRequest;
using run::ModesRun;
using run::save;
using run::Setting;
using run::simulate;
using run::SimulationRequest;
using run::SimulationRun;

}  // namespace parfait
