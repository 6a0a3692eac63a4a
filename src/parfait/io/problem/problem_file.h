#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include "parfait/estimate/problem/problem.h"
#include "parfait/io/model/any_model_file.h"
#include "parfait/io/model/mechanical_model.h"

/// Estimation problems (XML, root `<problem>`; docs/problem_file.md explains them, and
/// docs/schema/problem.xsd describes them).
namespace parfait::io {

/// Reads the problem, its models and its data, whose paths are relative to the problem file. A
/// model file that several experiments use is built once. InputError with file, line and column for
/// what is wrong with the text, with a table, with a model, or with the problem (estimate::check).
/// A file whose name ends in .yaml is a PEtab problem (petab/petab.h).
///
/// What an `<estimate>` or `<local>` leaves out (initial, lower, upper) is taken from the model.
estimate::Problem read_problem(const std::filesystem::path& file);
/// `file_name` appears in messages, and paths in the text are relative to its folder.
estimate::Problem read_problem_text(std::string_view text, const std::string& file_name);

/// The same, but the problem itself is not checked: for those who change it and check it then, as
/// estimate::PreparedProblem does, which keeps the warnings. Mechanisms in the coordinates asked
/// for.
estimate::Problem parse_problem(const std::filesystem::path& file, Coordinates coordinates = {});
estimate::Problem parse_problem_text(std::string_view text, const std::string& file_name);
estimate::Problem parse_problem(const XmlSource& source, Coordinates coordinates = {});

/// Whether the root of the file is `<problem>`. InputError if it is not XML.
bool is_problem_file(const std::filesystem::path& file);
/// A model or a problem file: its root says which. The problem is not checked.
std::variant<AnyModel, estimate::Problem> parse_any_file(const std::filesystem::path& file,
                                                         Coordinates coordinates = {});

/// Law  read_problem_text(problem_text(p), p.file) = p, except for places, systems (built anew),
///      white space around formulas, and options that a file does not have (see problem.xsd). A
///      number is the shortest that reads back as the same double. Tables of parameters are written
///      as the elements they stand for.
/// Data without a file are written inside the text. InputError if a system has no file.
std::string problem_text(const estimate::Problem& problem);
/// Paths are rewritten so that they lead from the new file to the same models and tables, which are
/// not written themselves.
void write_problem(const estimate::Problem& problem, const std::filesystem::path& file);

}  // namespace parfait::io
