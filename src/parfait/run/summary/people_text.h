#pragma once

#include <filesystem>
#include <string>

#include "parfait/run/dynamics/inverse_dynamics.h"
#include "parfait/run/human/human.h"
#include "parfait/run/motion/batch.h"
#include "parfait/run/motion/calibrate.h"
#include "parfait/run/motion/gait.h"
#include "parfait/run/motion/inverse_kinematics.h"
#include "parfait/run/motion/scale.h"

/// What a person reads after a piece of work about people. `folder`: where it was saved, if it was.
namespace parfait::run {

std::string poses_text(const InverseKinematicsRun& run, const std::filesystem::path& folder = {});
std::string calibration_text(const CalibrateRun& run, const std::filesystem::path& folder = {});
std::string gait_text(const GaitRun& run, const std::filesystem::path& folder = {});
/// A line about a subject, and all of them.
std::string subject_text(const result::BatchSubject& subject);
std::string batch_text(const BatchRun& run, const std::filesystem::path& folder = {});
std::string scaling_text(const ScaleRun& run, const std::filesystem::path& folder = {});
std::string moments_text(const InverseDynamicsRun& run, const std::filesystem::path& folder = {});

/// Masses, centres and moments of inertia of the segments.
std::string human_text(const HumanRun& run);
/// The same of HeiMan, and the parameters that differ from the uniform ones.
std::string human_text(const HeiManRun& run);

}  // namespace parfait::run
