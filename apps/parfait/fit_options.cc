#include "fit_options.h"

#include "name_list.h"
#include "parfait/run/summary/iteration_table.h"
#include "run_names.h"

namespace parfait::app {

run::FitRequest FitCommandOptions::complete() const {
  run::FitRequest complete = request;
  complete.set = run::parse_settings(set);
  complete.fix = split_names("--fix", fix);
  complete.profile = split_names("--profile", profile);
  complete.out = run_folder_of(out, request.file);
  return complete;
}

run::MinimizationRequest FitCommandOptions::complete_minimization() const {
  run::MinimizationRequest complete = minimization;
  complete.method = method;
  complete.file = request.file;
  complete.set = run::parse_settings(set);
  complete.fix = split_names("--fix", fix);
  complete.contour = split_names("--contour", contour);
  complete.max_iterations = request.max_iterations;
  complete.tolerance = request.tolerance;
  complete.out = run_folder_of(out, request.file);
  return complete;
}

void add_options(CLI::App& parser, FitCommandOptions& options) {
  auto& request = options.request;
  const auto add = [&](const char* name, auto& value, const char* type, const char* help,
                       const char* group) {
    return parser.add_option(name, value, help)
        ->type_name(type)
        ->group(group)
        ->allow_extra_args(false);
  };
  parser.add_option("problem", request.file, "problem file")->required()->type_name("FILE");

  const char* what = "What to estimate";
  add("--set", options.set, "ID=VALUE",
      "initial value of an estimated parameter, or a condition; may be repeated", what);
  add("--fix", options.fix, "P,Q", "parameters that are held instead of estimated", what);
  add("--start", request.start, "RESULT", "start from an earlier result.json", what);

  add("--starts", request.starts, "N",
      "N more starts between the bounds (log scale with transform=\"log\"); the best is reported",
      what);
  add("--seed", request.seed, "S", "which starts (1)", what);
  parser
      .add_flag("--resume", request.resume,
                "go on with the starts that an interrupted fit in --out has not done")
      ->group(what);

  add("--intervals", request.intervals, "N|auto",
      "shooting intervals; auto: from measured states, as many as keep errors of the first guess "
      "small",
      what);

  const char* output = "What to find out and write";
  add("--profile", options.profile, "P,Q",
      "intervals from the profile likelihood; all: of all parameters", output);
  parser
      .add_flag("--certify", request.certify,
                "how far each estimate moves with a 100 times smaller tolerance")
      ->group(output);
  parser
      .add_flag("--suggest", request.suggest,
                "which measurement would help most (told anyway if something is not determined)")
      ->group(output);
  add("--out", options.out, "DIR", "folder for the results (run/<problem name>)", output);

  const char* how = "How to compute it";
  add("--coordinates", request.coordinates, "NAME", "of mechanisms: natural or joint (natural)",
      how);
  add("--integrator", request.integrator, "NAME",
      "auto, dop853, dopri5, abm, bdf or hht (problem file, or auto: dop853, bdf where a model has "
      "algebraic states or turns out to be stiff)",
      how);
  add("--globalization", request.globalization, "NAME",
      "auto, rmt, natural, full or lm (problem file, or auto)", how);
  add("--tol", request.tolerance, "X", "relative accuracy of every unknown (problem file, or 1e-6)",
      how);
  add("--max-iterations", request.max_iterations, "N",
      "largest number of iterations (problem file, or as long as there is progress)", how);
  add("--method", options.method, "NAME",
      "gauss_newton (default), by gradients: lbfgs, bfgs or descent, also for a <cost>, or lsmr: "
      "Gauss-Newton steps without forming the Jacobian",
      how);
  add("--line-search", options.minimization.line_search, "NAME",
      "of gradient methods: wolfe (default), golden, quadratic, cubic or parallel", how);
  add("--gradient", options.minimization.gradient, "WAY",
      "of gradient methods: adjoint (default) or forward", how);
  add("--memory", options.minimization.memory, "SIZE",
      "for the states that an adjoint keeps, 512MB for example (1GB)", how);
  add("--contour", options.contour, "P,Q",
      "of gradient methods: the objective on a grid of two parameters, contour.csv", output);
  add("--threads", request.threads, "N",
      "number of threads (all cores); results do not depend on it", how);
  parser.footer(run::iteration_legend());
}

}  // namespace parfait::app
