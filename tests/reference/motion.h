#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parfait/integrate/driver/integrator.h"
#include "parfait/io/text/csv.h"
#include "parfait/mbs/model.h"

/// Mechanical models in motion, for comparison with published tables.
namespace parfait::reference {

/// A table of data/, a model of models/, a model of examples/.
io::CsvTable read_table(const std::string& name);
std::shared_ptr<const mbs::Model> load_model(const std::string& name);
std::shared_ptr<const mbs::Model> load_example(const std::string& name);

struct Request {
  std::vector<std::string> quantities;
  std::vector<double> times;                 ///< ascending; the last is the end
  std::vector<std::string> parameters = {};  ///< sensitivities with respect to these
  integrate::Options options = {};
  double rank_tolerance = 0;  ///< of the constraint partitioning; 0: the default
};

/// What was seen: each sample is the continuous extension, projected onto the constraints.
struct Samples {
  std::vector<std::vector<double>> values;  ///< [quantity][time]
  /// [quantity][parameter][time]
  std::vector<std::vector<std::vector<double>>> derivatives;
  double largest_kinetic_energy = 0;  ///< over the ends of all steps
  double energy_drift = 0;            ///< largest change of the total energy there
  integrate::Result result;
};

/// Runs from the assembled initial state at the initial parameters; expects to finish.
Samples simulate(const mbs::Model& model, const Request& request);

/// Largest difference between what was seen and columns of a table, quantity by quantity.
double largest_error(const Samples& samples, const io::CsvTable& table,
                     const std::vector<std::string>& columns);

/// Prints what was reached and what it took.
void report(const std::string& name, const Samples& samples, std::optional<double> error = {});

integrate::Options tolerances(double rtol, double atol,
                              integrate::Method method = integrate::Method::kDop853);

}  // namespace parfait::reference
