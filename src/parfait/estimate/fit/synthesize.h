#pragma once

#include <cstdint>

#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

/// The same problem with synthetic measurements: what the model says at the true parameters (the
/// initial ones where no true value is given) plus normal noise with the sigmas of the problem;
/// relative sigmas are relative to the model's value. Cells that are empty stay so, unless a column
/// is empty altogether: then it is filled.
///
/// The numbers depend on nothing but the problem and the seed.
/// InputError if the model cannot be evaluated there.
Problem synthesize(const Problem& problem, std::uint64_t seed);

/// The table that an experiment will fill: the times of its samples, and a column without
/// measurements for each observation. InputError if a sigma is a column: that needs data.
Data sample_table(const Samples& samples, const std::string& time,
                  const std::vector<Observation>& observations);

/// Experiments that say when they sample, and have been measured, get an empty table at these times
/// instead of their data. Left as they are: those whose sigmas are columns of the data.
void measure_anew(Problem& problem);
/// Times and measured cells come from the samples; otherwise from the data.
bool is_measured_at_samples(const ExperimentDescription& experiment);

}  // namespace parfait::estimate
