#pragma once

#include "parfait/io/text/data_table.h"
#include "parfait/run/fit/fit.h"
#include "parfait/run/fit/synthesis.h"
#include "parfait/run/job/model.h"

/// Parameters from measurements, for programs that use the library:
///
///   auto run = parfait::fit({.file = "problem.xml"});
///   const auto* k = run.result.find("k");   // k->value, k->sd, k->individual.low, ...
///
/// A problem may also be described in code (estimate::Problem). What is wrong with the input is
/// thrown as base::InputError; a fit that does not converge is a result with a status.
namespace parfait {

using base::InputError;
using estimate::Problem;
using run::Callbacks;
using run::fit;
using run::FitRequest;
using run::FitRun;
using run::IterationRecord;
using run::load_model;
using run::make_model;
using run::save;
using run::Setting;
using run::SynthesisRequest;
using run::SynthesisRun;
using run::synthesize;

}  // namespace parfait
