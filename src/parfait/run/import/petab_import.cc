#include "parfait/run/import/petab_import.h"

#include "parfait/base/error.h"
#include "parfait/io/model/formula_file.h"
#include "parfait/io/petab/petab.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/text/data_table.h"
#include "parfait/run/job/run_folder.h"
#include "parfait/run/job/stopwatch.h"
#include "parfait/run/job/version.h"

namespace parfait::run {

MotionImportRun import_petab(const MotionImportRequest& request) {
  Stopwatch watch;
  if (!request.units.empty() || !request.axes.empty()) {
    throw base::InputError({request.file, 0, 0}, "--units and --axes are for motion files.");
  }
  if (!request.out.empty()) check_replaceable(request.out);
  io::PetabProblem petab = io::read_petab(request.file);
  MotionImportRun run;
  run.timing.add("read", watch.lap());
  for (auto& e : petab.problem.experiments) {
    const std::string name = e.id + ".csv";
    run.tables.emplace_back(name, io::data_table_text(e.data));
    e.data.file = name;
    e.model = "model.xml";
  }
  run.tables.emplace_back("model.xml", io::formula_model_text(petab.model));
  run.tables.emplace_back("problem.xml", io::problem_text(petab.problem));
  auto& result = run.result;
  result.verdict = {version(), "done", false, "done", petab.warnings};
  result.file = request.file;
  result.format = "PEtab 1";
  for (const auto& [name, text] : run.tables) result.files.push_back(name);
  run.timing.add("tables", watch.lap());
  return run;
}

}  // namespace parfait::run
