#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "parfait/estimate/problem/problem.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/result/origin.h"
#include "parfait/result/simulation.h"
#include "parfait/run/job/model.h"

/// What a result says about where it comes from, and in which units its quantities are.
namespace parfait::run {

/// A file with its hash. InputError if it cannot be read.
result::InputFile hashed_file(const std::string& kind, const std::string& path);

/// Kind and path of a file that a request names; an empty path: it was not given.
using NamedFile = std::pair<std::string, std::string>;
/// Each of them once, with its hash. What is no file (a built-in model) is left out.
std::vector<result::InputFile> hashed_files(const std::vector<NamedFile>& files);

/// The file of a model and the tables of its inputs; none if it was made in code.
std::vector<result::InputFile> files_of(const Model& model);

/// The unit of a quantity or parameter; empty: not known.
std::string unit_of(const io::AnyModel& model, const std::string& name);
/// Of those columns that have one.
std::vector<result::ColumnUnit> units_of(const io::AnyModel& model,
                                         const std::vector<std::string>& columns);

/// What the files of a problem say besides the problem itself. Made before the work begins: what
/// somebody does to the files meanwhile must neither cost the result nor change its hashes.
class ProblemSources {
 public:
  /// `start`: result.json or run folder of an earlier fit, or empty. InputError if a file cannot be
  /// read.
  ProblemSources(const estimate::Problem& problem, const std::filesystem::path& start);

  /// The problem, then models with the tables of their inputs, data, the earlier fit. None made in
  /// code.
  const std::vector<result::InputFile>& files() const { return files_; }
  std::string parameter_unit(const std::string& id) const;
  std::string quantity_unit(const estimate::ExperimentDescription& experiment,
                            const std::string& quantity) const;
  /// The model of an experiment as its file says it; null: made in code.
  const io::AnyModel* model(const estimate::ExperimentDescription& experiment) const;

 private:
  void add(const std::string& kind, const std::filesystem::path& file);

  std::map<std::string, io::AnyModel> models_;  ///< by file, as written
  std::vector<result::InputFile> files_;
};

}  // namespace parfait::run
