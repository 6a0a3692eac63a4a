#pragma once

#include <filesystem>
#include <vector>

#include "parfait/estimate/problem/problem.h"
#include "parfait/io/model/model_library.h"
#include "parfait/io/text/xml_element.h"

/// The elements of a problem file, each from its XML element.
namespace parfait::io {

/// `<estimate>` or `<local>`; what the file leaves out for the model to say.
struct ReadEstimate {
  estimate::Estimate estimate;
  bool has_initial = false, has_lower = false, has_upper = false;
};
ReadEstimate read_estimate(Element& element);
/// Takes what was left out from the parameter of the system; false if it has none of that name.
bool complete(ReadEstimate& read, const dynamics::System& system);

/// Appends one requirement for each time in `at`.
void read_requirement(Element& element, std::vector<estimate::Requirement>& requirements);

estimate::ExperimentDescription read_experiment(Element& element,
                                                const std::filesystem::path& folder,
                                                ModelLibrary& models);

estimate::FitOptions read_fit_options(Element& element);
/// Appends `<options>` with what differs from the defaults, if anything does.
void write_fit_options(pugi::xml_node root, const estimate::FitOptions& options);

/// none, log or log10.
estimate::ValueScale read_value_scale(const Element& at, const Text& text, const char* what);
/// true, false, yes or no.
bool read_flag(const Element& at, const Text& text, const char* what);
/// A whole number.
int read_count(const Element& at, const Text& text, const char* what);

}  // namespace parfait::io
