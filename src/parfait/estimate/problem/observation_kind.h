#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parfait/estimate/problem/check_problem_parts.h"
#include "parfait/estimate/problem/measurements.h"
#include "parfait/estimate/problem/problem.h"
#include "parfait/estimate/problem/sample_rows.h"

namespace parfait::estimate {

class Observable;      // shooting/rows.h
class RowBuilder;      // shooting/row_builder.h
struct CollectiveRow;  // shooting/row_builder.h

/// A kind of observation: what an <observe> of a dynamic experiment may say about its column. From
/// these readers know the attributes, checks their rules, and shooting experiments the number of
/// the trajectory that each measured cell is compared with.
///
/// A new kind is a class of its own, registered with add_observation_kind() or in the table of
/// shooting/observation_kinds.cc.
class ObservationKind {
 public:
  virtual ~ObservationKind() = default;
  /// The attribute of <observe> that makes it one of this kind: quantity="...", event="...".
  virtual std::string key() const = 0;
  /// Further attributes, all optional. Key and attributes are the settings of an observation.
  virtual std::vector<std::string> attributes() const { return {}; }

  /// InputError by `subject` for settings that make no sense. `estimated`: parameters that vary.
  virtual void check(const Observation& observation, const ExperimentDescription& experiment,
                     const std::vector<std::string>& estimated, const Subject& subject) const = 0;
  /// The value belongs to the time of its row. Otherwise that time is ignored, the experiment's end
  /// must be given, and samples measure the column once.
  virtual bool is_at_row_time() const { return true; }
  /// The time that tables show beside a measurement.
  virtual double time_of(const Measurement& measurement) const { return measurement.t; }

  /// What the column measures, as a formula of quantities at the times of its rows; empty: nothing
  /// of that kind.
  virtual FormulaText quantity_of(const Observation& observation) const {
    return observation.quantity;
  }

  /// Values that differ by this mean the same, and the residual is the shortest way; 0: none do.
  virtual double period(const Observation& /*observation*/) const { return 0; }

  /// Tells `builder` what must be seen of the trajectory (samples, events) for this measurement ...
  virtual void request(const Observation& observation, const Measurement& measurement,
                       RowBuilder& builder) const = 0;
  /// ... and, when all have done so, makes the number that it is compared with.
  virtual std::shared_ptr<const Observable> make(const Observation& observation,
                                                 const Measurement& measurement,
                                                 RowBuilder& builder) const = 0;

  /// All measurements of the column together make rows of their own, instead of one each: linear
  /// maps of samples (a spectrum). make() is then a sample.
  virtual bool is_collective() const { return false; }
  virtual std::vector<CollectiveRow> make_rows(const Observation& observation,
                                               const std::vector<Measurement>& measurements,
                                               RowBuilder& builder) const;
  /// The same rows as functions of the samples alone, for gradients; null: it has none.
  virtual std::unique_ptr<const SampleRows> sample_rows(
      const Observation& observation, const std::vector<Measurement>& measurements) const;
};

/// All kinds, the one for `quantity` first.
const std::vector<std::unique_ptr<const ObservationKind>>& observation_kinds();
/// Adds a kind, before problems are read. InputError if its key is taken.
void add_observation_kind(std::unique_ptr<const ObservationKind> kind);
/// The kind with this key; null: there is none.
const ObservationKind* find_observation_kind(const std::string& key);
/// The kind of an observation; one whose kind is unknown counts as a quantity (check() finds it).
const ObservationKind& kind_of(const Observation& observation);

}  // namespace parfait::estimate
