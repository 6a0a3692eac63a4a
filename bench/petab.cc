// The PEtab problems of a folder: the likelihood at the nominal parameters, a fit from there, and
// many fits from random points within the bounds, beside what others report.
//
//   bench_petab FOLDER [--only NAME] [--starts N] [--seed S] [--seconds T] [--iterations N]
//               [--verbose] [--trace START]
//
// FOLDER holds one folder per problem, as the PEtab benchmark collection does (github.com/
// Benchmarking-Initiative/Benchmark-Models-PEtab). Times are CPU times of this process.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "parfait/base/error.h"
#include "parfait/estimate/fit/fit.h"
#include "parfait/io/petab/petab.h"

namespace {

namespace fs = std::filesystem;
using namespace parfait;  // NOLINT(google-build-using-namespace): a program, not a library

/// What is known of a problem: nllh at the nominal parameters and the best nllh - log prior, both
/// computed with other programs at tolerances of 1e-10 and below; of 1000 fits the fewest gradients
/// per success of any method (Froehlich & Sorger 2022, figures), success: within 2 of the best.
struct Known {
  const char* problem;
  double nominal, best;
  double gradients_per_success;  ///< NaN: not reported
};
const double kNone = std::nan("");
const Known kKnown[] = {
    {"Perelson_Science1996", 432.03855, 222.28076952, kNone},
    {"Rahman_MBS2016", 21.15348998, 21.15348636, kNone},
    {"Liu_IFACPapersOnLine2025", 723.35749135, 723.35749132, kNone},
    {"Boehm_JProteomeRes2014", 138.22199774, 138.22197672, 1600},
    {"Bruno_JExpBot2016", -46.68818143, -46.68818143, 41},
    {"Sneyd_PNAS2002", -319.79177704, -319.79232404, kNone},
    {"Fiedler_BMCSystBiol2016", -58.58387075, -58.58394826, 4000},
    {"Borghans_BiophysChem1997", -83.32369542, -120.487517, kNone},
    {"Schwen_PONE2014", 943.99929691, 952.42173, 1000},
    {"Weber_BMC2015", 296.20179924, 296.20179924, 4000},
    {"Zheng_PNAS2012", -278.33353162, -293.70123241, 6000},
    {"Bachmann_MSB2011", -418.40572051, -419.12947014, 730},
};
const Known* known_of(const std::string& problem) {
  const auto* const at =
      std::ranges::find_if(kKnown, [&](const Known& k) { return k.problem == problem; });
  return at == std::end(kKnown) ? nullptr : at;
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Arguments {
  fs::path folder;
  std::string only;
  int starts = 0;
  unsigned seed = 1;
  double seconds = 60;
  int iterations = 300;
  bool verbose = false;  ///< a line for every start, and for every iteration of the local fit
  int trace = -1;        ///< this start alone, with its iterations
};

/// nllh - log prior.
double cost_of(const estimate::FitResult& fit) {
  if (!fit.likelihood) return kNone;
  return -fit.likelihood->log_likelihood - fit.likelihood->log_prior;
}

/// A point within the bounds, uniform on the scale on which a parameter is estimated.
estimate::Problem random_start(const estimate::Problem& problem, std::mt19937_64& random) {
  estimate::Problem out = problem;
  for (auto& e : out.estimates) {
    const double u = (static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0;
    e.initial = e.transform == estimate::Estimate::Transform::kLog
                    ? e.lower * std::pow(e.upper / e.lower, u)
                    : e.lower + (e.upper - e.lower) * u;
    e.initial = std::clamp(e.initial, e.lower, e.upper);
  }
  return out;
}

estimate::FitResult fit_within(estimate::Problem problem, double seconds, bool one_of_many,
                               bool trace = false) {
  const double begin = cpu_seconds();
  problem.options.interrupted = [begin, seconds] { return cpu_seconds() - begin > seconds; };
  // A fit that gains next to nothing any more is left: where parameters cannot be determined, the
  // last of its steps lead nowhere.
  constexpr std::size_t kLook = 15;
  constexpr double kNothing = 1e-2;  // of -2 log L
  estimate::FitSettings settings;
  std::vector<double> history;
  settings.one_of_many = one_of_many;
  settings.on_iteration = [&](const estimate::Iteration& line, const auto&...) {
    history.push_back(line.objective);
    if (trace) {
      fmt::print("      {:3} {:.8e} |dx| {:.1e} t {:.1e} test {:.1e} trials {} rank {}/{}{}\n",
                 line.number, line.objective, line.increment, line.step, line.test, line.trials,
                 line.rank, line.num_free, line.descent ? " descent" : "");
    }
    return !one_of_many || history.size() <= kLook ||
           history[history.size() - 1 - kLook] - history.back() > kNothing;
  };
  return estimate::fit(problem, settings);
}

void run(const fs::path& yaml, const Arguments& arguments) {
  const std::string name = yaml.stem().string();
  const Known* known = known_of(name);
  estimate::Problem problem = io::read_petab(yaml).problem;
  fmt::print("{}: {} experiments, {} estimated parameters\n", name, problem.experiments.size(),
             problem.estimates.size());

  // At the nominal parameters, integrated carefully.
  estimate::Problem careful = problem;
  careful.options.integrator.rtol = 1e-11;
  careful.options.integrator.atol = 1e-14;
  careful.options.iteration.max_iterations = 0;
  double begin = cpu_seconds();
  const auto nominal = estimate::fit(careful);
  if (!nominal.likelihood) {
    fmt::print("  nominal   {}\n", nominal.iteration.message);
  } else {
    const double nllh = -nominal.likelihood->log_likelihood;
    fmt::print("  nominal   nllh {:.10g}  -log prior {:.10g}", nllh,
               -nominal.likelihood->log_prior);
    if (known != nullptr) {
      fmt::print("  known {:.10g}, digits {:.1f}", known->nominal,
                 -std::log10(std::max(1e-16, std::abs((nllh - known->nominal) / known->nominal))));
    }
    fmt::print("  ({:.2f} s)\n", cpu_seconds() - begin);
  }

  problem.options.iteration.max_iterations = arguments.iterations;
  begin = cpu_seconds();
  const auto local = fit_within(problem, arguments.seconds, false, arguments.verbose);
  fmt::print("  local fit {:.8f}  {}  {} iterations, {} linearizations ({:.2f} s)\n",
             cost_of(local), estimate::text(local.iteration.status), local.iteration.iterations,
             local.work.linearizations / std::max<std::int64_t>(1, std::ssize(problem.experiments)),
             cpu_seconds() - begin);
  if (!local.converged()) fmt::print("            {}\n", local.iteration.message);
  std::fflush(stdout);
  if (arguments.starts == 0) return;

  // Points far away need no ten digits.
  problem.options.integrator.rtol = 1e-7;
  problem.options.integrator.atol = 1e-10;
  std::mt19937_64 random(arguments.seed);
  std::vector<double> costs;
  double linearizations = 0;
  int converged = 0, failed = 0;
  begin = cpu_seconds();
  for (int k = 0; k < arguments.starts; ++k) {
    const estimate::Problem start = random_start(problem, random);
    if (arguments.trace >= 0 && k != arguments.trace) continue;
    const auto result = fit_within(start, arguments.seconds, true, arguments.trace >= 0);
    linearizations += static_cast<double>(result.work.linearizations) /
                      static_cast<double>(problem.experiments.size());
    converged += result.converged() ? 1 : 0;
    const double cost = cost_of(result);
    if (arguments.verbose) {
      fmt::print("    {:3d} {:14.6f}  {} after {} iterations, {:.1f} s: {}\n", k, cost,
                 estimate::text(result.iteration.status), result.iteration.iterations,
                 cpu_seconds() - begin, result.iteration.message);
    }
    if (std::isfinite(cost)) {
      costs.push_back(cost);
    } else {
      ++failed;
    }
  }
  const double seconds = cpu_seconds() - begin;
  std::ranges::sort(costs);
  if (costs.empty()) {
    fmt::print("  starts    none of {} could be evaluated\n", arguments.starts);
    return;
  }
  const double best = known != nullptr ? known->best : costs.front();
  const auto within = [&](double d) {
    return std::ranges::count_if(costs, [&](double c) { return c <= best + d; });
  };
  const auto successes = static_cast<double>(within(2));
  fmt::print(
      "  starts    best {:.6f} (known {:.6f}); of {}: {} within 0.1, {} within 2; {} converged, {} "
      "not "
      "evaluated\n",
      costs.front(), best, arguments.starts, within(0.1), within(2), converged, failed);
  fmt::print(
      "            {:.0f} linearizations per success (best of others {}), {:.2f} successes and "
      "{:.1f} starts per CPU minute\n",
      linearizations / successes,
      known != nullptr && std::isfinite(known->gradients_per_success)
          ? fmt::format("{:g}", known->gradients_per_success)
          : "-",
      60 * successes / seconds, 60 * arguments.starts / seconds);
  std::fflush(stdout);
}

Arguments read_arguments(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (option == "--only") {
      out.only = value();
    } else if (option == "--starts") {
      out.starts = std::atoi(value().c_str());
    } else if (option == "--seed") {
      out.seed = static_cast<unsigned>(std::atoi(value().c_str()));
    } else if (option == "--seconds") {
      out.seconds = std::atof(value().c_str());
    } else if (option == "--iterations") {
      out.iterations = std::atoi(value().c_str());
    } else if (option == "--trace") {
      out.trace = std::atoi(value().c_str());
    } else if (option == "--verbose") {
      out.verbose = true;
    } else {
      out.folder = option;
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  if (!fs::is_directory(arguments.folder)) {
    fmt::print(stderr,
               "bench_petab FOLDER [--only NAME] [--starts N] [--seed S] [--seconds T] "
               "[--iterations N]\n");
    return 2;
  }
  // One thread: CPU seconds are then seconds of work.
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  std::vector<fs::path> problems;
  for (const auto& folder : fs::directory_iterator(arguments.folder)) {
    if (!folder.is_directory()) continue;
    for (const auto& file : fs::directory_iterator(folder)) {
      if (io::is_petab_file(file.path())) problems.push_back(file.path());
    }
  }
  std::ranges::sort(problems);
  for (const fs::path& yaml : problems) {
    if (!arguments.only.empty() && yaml.string().find(arguments.only) == std::string::npos)
      continue;
    try {
      run(yaml, arguments);
    } catch (const base::InputError& error) {
      fmt::print("{}\n", error.what());
    }
  }
  return 0;
}
