#include "server/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "parfait/base/error.h"
#include "parfait/base/stop.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/csv.h"
#include "parfait/io/text/text_file.h"
#include "parfait/mbs/model.h"
#include "parfait/report/pages/fit_report.h"
#include "parfait/report/pages/simulation_report.h"
#include "parfait/report/web/web_data.h"
#include "parfait/run/fit/facts.h"
#include "parfait/run/job/report.h"
#include "parfait/run/job/stored_run.h"
#include "parfait/run/job/version.h"
#include "parfait/run/scene/motion_recorder.h"

namespace parfait::serve {
namespace session_json {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t kMostJobs = 4;
constexpr std::size_t kMostRows = 4000;

std::string text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json numbers(const std::vector<double>& values, std::size_t stride) {
  Json list = Json::array();
  for (std::size_t i = 0; i < values.size(); i += stride) {
    list.push_back(std::isfinite(values[i]) ? Json(values[i]) : Json(nullptr));
  }
  return list;
}

/// Columns with names and units, thinned to what a screen can show.
Json table(const result::Table& table, const std::vector<result::ColumnUnit>& units) {
  const auto rows = static_cast<std::size_t>(table.num_rows());
  const std::size_t stride = rows / kMostRows + 1;
  Json columns = Json::array();
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    std::string unit;
    for (const auto& known : units) {
      if (known.column == table.header[i]) unit = known.unit;
    }
    columns.push_back(
        {{"name", table.header[i]}, {"unit", unit}, {"values", numbers(table.columns[i], stride)}});
  }
  return columns;
}

/// What an experiment measured and what the model says, as plots want it.
Json fit_curves(const result::Fit& fit, const result::FitTables& tables) {
  Json panels = Json::array();
  for (const auto& experiment : fit.experiments) {
    for (const auto& observed : experiment.observed) {
      Json panel = {{"experiment", experiment.id},
                    {"column", observed.column},
                    {"quantity", observed.quantity},
                    {"unit", observed.unit}};
      std::vector<double> t, measured, sigma;
      for (const auto& r : tables.residuals) {
        if (r.experiment != experiment.id || r.column != observed.column || r.prior) continue;
        t.push_back(r.t);
        measured.push_back(r.measured);
        sigma.push_back(r.sigma);
      }
      const std::size_t stride = t.size() / kMostRows + 1;
      panel["t"] = numbers(t, stride);
      panel["measured"] = numbers(measured, stride);
      panel["sigma"] = numbers(sigma, stride);
      panels.push_back(std::move(panel));
    }
  }
  return panels;
}

Json curves(const std::vector<result::Prediction>& predictions) {
  Json list = Json::array();
  for (const auto& p : predictions) {
    for (int j = 0; j < p.values.cols; ++j) {
      std::vector<double> column;
      column.reserve(static_cast<std::size_t>(p.values.rows));
      for (int i = 0; i < p.values.rows; ++i) column.push_back(p.values(i, j));
      list.push_back({{"experiment", p.experiment},
                      {"quantity", p.quantities[static_cast<std::size_t>(j)]},
                      {"t", numbers(p.t, 1)},
                      {"values", numbers(column, 1)}});
    }
  }
  return list;
}

Json iteration(const run::IterationRecord& record) {
  const auto& line = record.iteration;
  const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
  Json values = Json::object();
  for (std::size_t i = 0; i < record.names.size() && i < record.values.size(); ++i) {
    values[record.names[i]] = number(record.values[i]);
  }
  return {{"number", line.number},
          {"objective", number(line.objective)},
          {"constraints", number(line.constraints)},
          {"increment", number(line.increment)},
          {"step", number(line.step)},
          {"kappa", number(line.kappa)},
          {"rank", line.rank},
          {"condition", number(line.condition)},
          {"values", std::move(values)}};
}

/// The settings of a request: {"k": 3}.
std::vector<run::Setting> settings(const Json& request) {
  std::vector<run::Setting> out;
  if (!request.contains("set")) return out;
  if (!request["set"].is_object()) throw Problem{400, "\"set\" must be an object of numbers."};
  for (const auto& [name, value] : request["set"].items()) {
    if (!value.is_number()) throw Problem{400, "\"set\" must be an object of numbers."};
    out.emplace_back(name, value.get<double>());
  }
  return out;
}

std::optional<double> number(const Json& request, const char* key) {
  if (!request.contains(key) || request[key].is_null()) return std::nullopt;
  if (!request[key].is_number()) throw Problem{400, fmt::format("\"{}\" must be a number.", key)};
  return request[key].get<double>();
}

std::vector<std::string> names(const Json& request, const char* key) {
  std::vector<std::string> out;
  if (!request.contains(key)) return out;
  if (!request[key].is_array()) throw Problem{400, fmt::format("\"{}\" must be a list.", key)};
  for (const auto& name : request[key]) {
    if (!name.is_string()) throw Problem{400, fmt::format("\"{}\" must be a list of names.", key)};
    out.push_back(name.get<std::string>());
  }
  return out;
}

}  // namespace
}  // namespace session_json

using session_json::Json;
namespace fs = std::filesystem;

Session::Session(const std::vector<fs::path>& targets) {
  for (const auto& target : targets) add_target(target);
  if (!file_.empty()) {
    read_file();
    if (!fault_.empty()) throw base::InputError(fault_);
  }
  worker_ = std::thread([this] { work(); });
}

Session::~Session() {
  cancel_all();
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  job_added_.notify_all();
  events_.close();
  worker_.join();
}

void Session::add_target(const fs::path& target) {
  if (!fs::exists(target)) {
    throw base::InputError(
        fmt::format("\"{}\": there is no such file or folder.", target.string()));
  }
  const auto add_folder = [&](const fs::path& folder) {
    const auto kind = io::result_command(io::read_text_file(folder / "result.json"));
    if (kind != "simulate" && kind != "fit") return false;
    Run run;
    run.name = folder.lexically_normal().string();
    run.kind = kind;
    run.folder = folder;
    watched_[folder / "result.json"] = fs::last_write_time(folder / "result.json");
    add_run(std::move(run));
    return true;
  };
  if (fs::is_directory(target)) {
    if (fs::is_regular_file(target / "result.json")) {
      if (add_folder(target)) return;
      throw base::InputError(fmt::format(
          "\"{}\": holds a result that cannot be shown; runs of `simulate` and `fit` can.",
          target.string()));
    }
    std::vector<fs::path> inside;
    for (const auto& entry : fs::directory_iterator(target)) {
      if (fs::is_regular_file(entry.path() / "result.json")) inside.push_back(entry.path());
    }
    std::sort(inside.begin(), inside.end());
    bool any = false;
    for (const auto& folder : inside) any |= add_folder(folder);
    if (any) return;
    throw base::InputError(
        fmt::format("\"{}\": is no run folder and holds none.", target.string()));
  }
  if (target.extension() == ".csv") {
    Run run;
    run.name = target.string();
    run.kind = "table";
    run.table = io::read_table_text(io::read_text_file(target), target.string());
    add_run(std::move(run));
    return;
  }
  if (!file_.empty()) {
    throw base::InputError(
        fmt::format("\"{}\": one model or problem can be looked at, and \"{}\" "
                    "is one.",
                    target.string(), file_.string()));
  }
  file_ = target;
}

void Session::read_file() {
  try {
    const auto facts = run::check(file_.string());
    std::optional<run::Model> model;
    if (std::holds_alternative<result::ModelFacts>(facts)) model = run::load_model(file_.string());
    const std::lock_guard lock(mutex_);
    file_kind_ = model ? "model" : "problem";
    model_ = std::move(model);
    fault_.clear();
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    fault_ = error.what();
  }
  std::error_code failed;
  const auto time = fs::last_write_time(file_, failed);
  const std::lock_guard lock(mutex_);
  if (!failed) watched_[file_] = time;
}

void Session::look_at_files() {
  std::vector<fs::path> changed;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [file, time] : watched_) {
      std::error_code failed;
      const auto now = fs::last_write_time(file, failed);
      if (failed || now == time) continue;
      time = now;
      changed.push_back(file);
    }
  }
  for (const auto& file : changed) {
    if (file == file_) read_file();
    Json event = {{"file", file.filename().string()}};
    {
      const std::lock_guard lock(mutex_);
      event["fault"] = file == file_ ? fault_ : "";
    }
    events_.add("changed", session_json::text(event));
  }
}

std::string Session::add_run(Run run) {
  const std::lock_guard lock(mutex_);
  run.id = fmt::format("r{}", ++last_run_);
  runs_.push_back(std::move(run));
  // Those that were computed here and are many are forgotten, oldest first.
  constexpr std::size_t kMostRuns = 40;
  const auto computed =
      std::count_if(runs_.begin(), runs_.end(), [](const Run& r) { return r.simulation || r.fit; });
  if (static_cast<std::size_t>(computed) > kMostRuns) {
    runs_.erase(std::find_if(runs_.begin(), runs_.end(),
                             [](const Run& r) { return r.simulation || r.fit; }));
  }
  return fmt::format("r{}", last_run_);
}

Session::Run Session::find_run(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  for (const auto& run : runs_) {
    if (run.id == id) return run;
  }
  throw Problem{404, "There is no such run."};
}

std::string Session::session_json() {
  const std::lock_guard lock(mutex_);
  Json out = {{"version", run::version()},
              {"file", file_.empty() ? "" : file_.filename().string()},
              {"kind", file_kind_},
              {"fault", fault_}};
  out["can"] = Json::array();
  if (file_kind_ == "model") out["can"].push_back("simulate");
  if (file_kind_ == "problem") out["can"].push_back("fit");
  if (model_) {
    out["contents"] = model_->contents;
    out["mechanics"] = model_->mechanics != nullptr;
    out["quantities"] =
        model_->mechanics ? model_->mechanics->quantity_names() : model_->default_quantities;
    out["observed"] = model_->simulation.outputs.empty() ? model_->default_quantities
                                                         : model_->simulation.outputs;
    out["until"] = model_->simulation.until ? Json(*model_->simulation.until) : Json(10.0);
    out["step"] = model_->simulation.step ? Json(*model_->simulation.step) : Json(nullptr);
    Json parameters = Json::array();
    for (const auto& p : model_->system->parameters()) {
      parameters.push_back({{"id", p.id}, {"value", p.initial}});
    }
    out["parameters"] = std::move(parameters);
  }
  Json runs = Json::array();
  for (const auto& run : runs_) {
    runs.push_back({{"id", run.id}, {"name", run.name}, {"kind", run.kind}});
  }
  out["runs"] = std::move(runs);
  // Where a page begins to listen: it sees all of what is being computed, and nothing of what is
  // over.
  std::int64_t listen_from = events_.last();
  Json jobs = Json::array();
  for (const auto& job : jobs_) {
    if (job->over) continue;
    jobs.push_back(job->id);
    listen_from = std::min(listen_from, job->begun);
  }
  out["jobs"] = std::move(jobs);
  out["event"] = listen_from;
  return session_json::text(out);
}

std::string Session::model_block() {
  std::optional<run::Model> model;
  {
    const std::lock_guard lock(mutex_);
    model = model_;
  }
  if (!model || !model->mechanics) return report::web_data({}, {});
  return report::web_data({}, run::standing(*model->mechanics, model->parameter_values()));
}

std::string Session::run_block(const std::string& id) {
  const Run run = find_run(id);
  if (run.simulation) return report::web_data({}, run.simulation->scenes);
  if (run.fit) return report::web_data({}, run.fit->scenes);
  if (run.folder.empty()) return report::web_data({}, {});
  const auto files = run.kind == "fit" ? run::read_fit(run.folder).motions
                                       : run::read_simulation(run.folder).motions;
  return report::web_data({}, run::read_motions(run.folder, files));
}

std::string Session::job_block(const std::string& id) {
  const std::lock_guard lock(mutex_);
  for (const auto& job : jobs_) {
    if (job->id == id) return job->block.empty() ? report::web_data({}, {}) : job->block;
  }
  throw Problem{404, "There is no such job."};
}

std::string Session::run_table(const std::string& id) {
  const Run run = find_run(id);
  Json out = {{"id", run.id}, {"name", run.name}, {"kind", run.kind}};
  if (run.kind == "fit") {
    const auto fit = run.fit ? run.fit->result : run::read_fit(run.folder);
    const auto tables = run.fit ? run.fit->tables : run::read_tables(run.folder, fit);
    out["status"] = fit.verdict.status;
    out["message"] = fit.verdict.message;
    out["measured"] = session_json::fit_curves(fit, tables);
    out["curves"] = session_json::curves(tables.predictions);
    out["initial"] = session_json::curves(tables.first_guess);
    Json parameters = Json::array();
    for (const auto& p : fit.parameters) {
      parameters.push_back({{"id", p.id},
                            {"value", std::isfinite(p.value) ? Json(p.value) : Json(nullptr)},
                            {"sd", std::isfinite(p.sd) ? Json(p.sd) : Json(nullptr)}});
    }
    out["parameters"] = std::move(parameters);
    return session_json::text(out);
  }
  if (run.table) {
    out["columns"] = session_json::table(*run.table, {});
  } else if (run.simulation) {
    out["status"] = run.simulation->result.verdict.status;
    out["message"] = run.simulation->result.verdict.message;
    out["columns"] = session_json::table(run.simulation->trajectory, run.simulation->result.units);
  } else {
    const auto simulation = run::read_simulation(run.folder);
    out["status"] = simulation.verdict.status;
    out["message"] = simulation.verdict.message;
    out["columns"] =
        session_json::table(run::read_table(run.folder, "trajectory.csv"), simulation.units);
  }
  return session_json::text(out);
}

std::string Session::run_report(const std::string& id) {
  const Run run = find_run(id);
  if (run.simulation) {
    const auto& s = *run.simulation;
    return report::simulation_report(s.result, s.trajectory, s.steps, s.scenes,
                                     report::Liveness::kLive);
  }
  if (run.fit) {
    return report::fit_report(run.fit->result, run.fit->tables, run.fit->scenes,
                              report::Liveness::kLive);
  }
  if (run.folder.empty()) throw Problem{404, "A table has no report."};
  return run::make_report({run.folder});
}

std::string Session::start_job(const std::string& text) {
  const Json request = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!request.is_object() || !request.contains("kind") || !request["kind"].is_string()) {
    throw Problem{400, "A job is a JSON object with a \"kind\"."};
  }
  const std::string kind = request["kind"].get<std::string>();
  auto job = std::make_shared<Job>();
  job->request = text;
  {
    const std::lock_guard lock(mutex_);
    const bool possible =
        (kind == "simulate" && file_kind_ == "model") || (kind == "fit" && file_kind_ == "problem");
    if (!possible) throw Problem{400, fmt::format("\"{}\" is not possible here.", kind)};
    std::erase_if(jobs_, [](const auto& old) { return old->over; });
    if (jobs_.size() >= session_json::kMostJobs) {
      throw Problem{429, "Four jobs are waiting: cancel one, or let one end."};
    }
    job->id = fmt::format("j{}", ++last_job_);
    job->begun = events_.last();
    jobs_.push_back(job);
  }
  events_.add("job", session_json::text({{"id", job->id}, {"kind", kind}, {"state", "waiting"}}));
  job_added_.notify_all();
  return session_json::text({{"id", job->id}});
}

void Session::cancel_job(const std::string& id) {
  const std::lock_guard lock(mutex_);
  for (const auto& job : jobs_) {
    if (job->id != id) continue;
    job->stop = true;
    return;
  }
  throw Problem{404, "There is no such job."};
}

void Session::cancel_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& job : jobs_) job->stop = true;
}

void Session::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    std::shared_ptr<Job> next;
    job_added_.wait(lock, [&] {
      for (const auto& job : jobs_) {
        if (!job->over) next = next ? next : job;
      }
      return closing_ || next;
    });
    if (closing_) return;
    lock.unlock();
    compute(*next);
    lock.lock();
    next->over = true;
  }
}

void Session::compute(Job& job) {
  Json over = {{"id", job.id}, {"state", "over"}};
  try {
    if (job.stop) {
      over["status"] = "interrupted";
    } else {
      const Json request = Json::parse(job.request);
      events_.add("job", session_json::text({{"id", job.id}, {"state", "running"}}));
      std::string run;
      if (request["kind"] == "fit") {
        run::FitRequest fit_request;
        fit_request.file = file_.string();
        fit_request.set = session_json::settings(request);
        if (const auto most = session_json::number(request, "max_iterations")) {
          fit_request.max_iterations = static_cast<int>(*most);
        }
        run = fit(job, fit_request);
      } else {
        run::SimulationRequest simulation;
        {
          const std::lock_guard lock(mutex_);
          simulation.model = model_;
          simulation.file = file_.string();
        }
        simulation.set = session_json::settings(request);
        simulation.until = session_json::number(request, "until");
        simulation.step = session_json::number(request, "step");
        simulation.observe = session_json::names(request, "observe");
        run = simulate(job, simulation);
      }
      over["run"] = run;
      over["status"] = job.stop ? "interrupted" : "done";
    }
  } catch (const base::Stopped&) {
    over["status"] = "interrupted";
  } catch (const Problem& problem) {
    over["status"] = "failed";
    over["message"] = problem.message;
  } catch (const std::exception& error) {
    over["status"] = "failed";
    over["message"] = error.what();
  }
  events_.add("job", session_json::text(over));
}

std::string Session::simulate(Job& job, const run::SimulationRequest& request) {
  run::Callbacks callbacks;
  callbacks.stop = [&] { return job.stop.load(); };
  callbacks.interval = std::chrono::milliseconds(100);
  callbacks.on_progress = [&](double fraction, const std::string& note) {
    const Json part = std::isfinite(fraction) ? Json(fraction) : Json(nullptr);
    events_.add("progress",
                session_json::text({{"id", job.id}, {"fraction", part}, {"note", note}}),
                "progress " + job.id);
  };
  auto done = std::make_shared<run::SimulationRun>(run::simulate(request, callbacks));
  Run run;
  run.name = fmt::format("simulation {}", job.id.substr(1));
  for (const auto& setting : request.set) run.name += " " + setting.text;
  run.kind = "simulate";
  run.simulation = std::move(done);
  return add_run(std::move(run));
}

std::string Session::fit(Job& job, const run::FitRequest& request) {
  run::Callbacks callbacks;
  callbacks.stop = [&] { return job.stop.load(); };
  callbacks.on_iteration = [&](const run::IterationRecord& record) {
    Json event = session_json::iteration(record);
    event["id"] = job.id;
    events_.add("iteration", session_json::text(event));
  };
  callbacks.on_curves = [&](const std::vector<result::Prediction>& predictions) {
    events_.add("curves",
                session_json::text({{"id", job.id}, {"curves", session_json::curves(predictions)}}),
                "curves " + job.id);
  };
  callbacks.on_motion = [&](const result::Scenes& scenes) {
    auto block = report::web_data({}, scenes);
    {
      const std::lock_guard lock(mutex_);
      job.block = std::move(block);
    }
    events_.add("motion", session_json::text({{"id", job.id}}), "motion " + job.id);
  };
  callbacks.on_progress = [&](double, const std::string& note) {
    events_.add("progress",
                session_json::text({{"id", job.id}, {"fraction", nullptr}, {"note", note}}),
                "progress " + job.id);
  };
  auto done = std::make_shared<run::FitRun>(run::fit(request, callbacks));
  Run run;
  run.name = fmt::format("fit {}", job.id.substr(1));
  run.kind = "fit";
  run.fit = std::move(done);
  return add_run(std::move(run));
}

}  // namespace parfait::serve
