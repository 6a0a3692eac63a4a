#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/result/batch.h"
#include "parfait/result/calibration.h"
#include "parfait/result/design.h"
#include "parfait/result/facts.h"
#include "parfait/result/fit.h"
#include "parfait/result/gait.h"
#include "parfait/result/gradient.h"
#include "parfait/result/inverse_dynamics.h"
#include "parfait/result/inverse_kinematics.h"
#include "parfait/result/minimization.h"
#include "parfait/result/modes.h"
#include "parfait/result/motion_import.h"
#include "parfait/result/scaling.h"
#include "parfait/result/simulation.h"
#include "parfait/result/synthesis.h"
#include "parfait/result/verification.h"

/// result.json and timing.json (docs/results.md explains them, docs/schema/result.schema.json
/// describes them), a reader beside each writer.
///
/// Law  read_..._text(result_text(r), f) = r, bit for bit, where the numbers of r that are not
///      finite are those that the documentation of their field names: JSON has null for all of
///      them.
///
/// Readers throw InputError with the path of what is missing or has the wrong type. They accept
/// results without the key `format`: those of version 0.1.0.
namespace parfait::io {

std::string result_text(const result::Simulation& simulation);
std::string result_text(const result::Fit& fit);
std::string result_text(const result::Gradient& gradient);
std::string result_text(const result::Minimization& minimization);
std::string result_text(const result::Modes& modes);
std::string result_text(const result::Synthesis& synthesis);
std::string result_text(const result::Verification& verification);
std::string result_text(const result::MotionImport& import);
std::string result_text(const result::InverseKinematics& ik);
std::string result_text(const result::Calibration& calibration);
std::string result_text(const result::Scaling& scaling);
std::string result_text(const result::Batch& batch);
std::string result_text(const result::Gait& gait);
std::string result_text(const result::Design& design);
std::string result_text(const result::InverseDynamics& run);

/// `file` appears in messages.
result::Simulation read_simulation_text(std::string_view text, const std::string& file);
result::Fit read_fit_text(std::string_view text, const std::string& file);
result::Gradient read_gradient_text(std::string_view text, const std::string& file);
result::Minimization read_minimization_text(std::string_view text, const std::string& file);
result::Modes read_modes_text(std::string_view text, const std::string& file);
result::Synthesis read_synthesis_text(std::string_view text, const std::string& file);
result::Verification read_verification_text(std::string_view text, const std::string& file);
result::InverseDynamics read_inverse_dynamics_text(std::string_view text, const std::string& file);
result::MotionImport read_motion_import_text(std::string_view text, const std::string& file);
result::InverseKinematics read_inverse_kinematics_text(std::string_view text,
                                                       const std::string& file);
result::Calibration read_calibration_text(std::string_view text, const std::string& file);
result::Gait read_gait_text(std::string_view text, const std::string& file);
result::Batch read_batch_text(std::string_view text, const std::string& file);
result::Scaling read_scaling_text(std::string_view text, const std::string& file);
result::Design read_design_result_text(std::string_view text, const std::string& file);

std::string timing_text(const result::Timing& timing);
result::Timing read_timing_text(std::string_view text, const std::string& file);

/// What `parfait check --json` prints.
std::string facts_text(const result::ModelFacts& facts);
std::string facts_text(const result::ProblemFacts& facts);

/// The command that wrote a result.json: "simulate", "fit", ...; empty if it is not one of ours.
std::string result_command(std::string_view text);
/// Whether the folder has a result.json that Parfait wrote.
bool is_result_folder(const std::filesystem::path& folder);
/// The files that belong to the result in a folder, as its result.json lists them (`outputs`), or
/// by their documented names if it lists none; sorted. None: it is no result folder.
std::vector<std::string> files_of_result(const std::filesystem::path& folder);

}  // namespace parfait::io
