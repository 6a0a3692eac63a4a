#include "motion.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "parfait/io/model/model_file.h"

namespace parfait::reference {
namespace {

const std::filesystem::path kSource = PARFAIT_SOURCE_DIR;

int index_of(const mbs::Model& model, const std::string& id) {
  const auto& all = model.parameters();
  const auto it = std::ranges::find(all, id, &dynamics::ParameterInfo::id);
  EXPECT_NE(it, all.end()) << id;
  return static_cast<int>(it - all.begin());
}

/// Observes without disturbing the workspace of the integrator.
class Sampler {
 public:
  Sampler(const mbs::Model& model, const Request& request, dynamics::ConstVec p,
          const dynamics::Directions& dp, Samples& out)
      : model_(model),
        request_(request),
        out_(out),
        ws_(model.make_workspace(dp.count())),
        observer_(model.make_observer(request.quantities)),
        energies_(model.make_observer(std::vector<std::string>{"energy.kinetic", "energy.total"})),
        y_(model.sizes().ny()),
        W_(model.sizes().ny(), dp.count()),
        values_(request.quantities.size()),
        dvalues_(static_cast<int>(request.quantities.size()), dp.count()) {
    model.bind(*ws_, p);
    if (dp.count() > 0) model.bind_directions(*ws_, dp);
    if (request.rank_tolerance > 0) mbs::Model::set_rank_tolerance(*ws_, request.rank_tolerance);
    out.values.resize(values_.size());
    out.derivatives.assign(values_.size(), std::vector<std::vector<double>>(dp.count()));
  }

  void start(const integrate::State& state) {
    watch_energy(state.t, state.y);
    if (request_.times[0] > state.t) return;
    y_ = state.y;
    if (dvalues_.count() > 0) W_ = state.W;
    observe(state.t);
  }

  bool add(const integrate::AcceptedStep& step) {
    for (; next_ < request_.times.size() && request_.times[next_] <= step.t1;) {
      const double t = request_.times[next_];
      EXPECT_EQ(step.curve.state(t, y_), dynamics::Status::kOk);
      EXPECT_EQ(model_
                    .project(*ws_, t, y_, request_.options.projection,
                             request_.options.projection_tolerance)
                    .status,
                dynamics::Status::kOk);
      if (dvalues_.count() > 0) {
        EXPECT_EQ(step.curve.directions(t, W_), dynamics::Status::kOk);
        EXPECT_EQ(model_.project_directions(*ws_, W_), dynamics::Status::kOk);
      }
      observe(t);
    }
    watch_energy(step.t1, step.curve.y1());
    return true;
  }

 private:
  void observe(double t) {
    ++next_;
    const dynamics::Point point{.t = t, .y = y_, .z = {}, .mode = {}, .offset = {}};
    EXPECT_EQ(model_.observe(*ws_, *observer_, point, values_), dynamics::Status::kOk);
    for (std::size_t i = 0; i < values_.size(); ++i) out_.values[i].push_back(values_[i]);
    if (dvalues_.count() == 0) return;
    model_.observe_directions(*ws_, *observer_, {.dt = {}, .dy = &W_}, dvalues_);
    for (int i = 0; i < dvalues_.rows(); ++i) {
      for (int j = 0; j < dvalues_.count(); ++j) {
        out_.derivatives[i][j].push_back(dvalues_(i, j));
      }
    }
  }

  void watch_energy(double t, dynamics::ConstVec y) {
    double energy[2];
    const dynamics::Point point{.t = t, .y = y, .z = {}, .mode = {}, .offset = {}};
    EXPECT_EQ(model_.observe(*ws_, *energies_, point, energy), dynamics::Status::kOk);
    if (std::isnan(first_energy_)) first_energy_ = energy[1];
    out_.largest_kinetic_energy = std::max(out_.largest_kinetic_energy, energy[0]);
    out_.energy_drift = std::max(out_.energy_drift, std::abs(energy[1] - first_energy_));
  }

  const mbs::Model& model_;
  const Request& request_;
  Samples& out_;
  std::unique_ptr<dynamics::Workspace> ws_;
  std::unique_ptr<dynamics::System::Observer> observer_, energies_;
  std::vector<double> y_;
  dynamics::Directions W_;
  std::vector<double> values_;
  dynamics::Directions dvalues_;
  std::size_t next_ = 0;
  double first_energy_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

io::CsvTable read_table(const std::string& name) {
  return io::read_csv(kSource / "tests/reference/data" / name);
}

std::shared_ptr<const mbs::Model> load_model(const std::string& name) {
  return mbs::build(io::read_model(kSource / "tests/reference/models" / name));
}

std::shared_ptr<const mbs::Model> load_example(const std::string& name) {
  return mbs::build(io::read_model(kSource / "examples" / name));
}

integrate::Options tolerances(double rtol, double atol, integrate::Method method) {
  integrate::Options options;
  options.method = method;
  options.rtol = rtol;
  options.atol = atol;
  return options;
}

Samples simulate(const mbs::Model& model, const Request& request) {
  const auto& sizes = model.sizes();
  const int k = static_cast<int>(request.parameters.size());
  std::vector<double> p;
  for (const auto& info : model.parameters()) p.push_back(info.initial);
  dynamics::Directions dp(sizes.np, k);
  for (int j = 0; j < k; ++j) dp(index_of(model, request.parameters[j]), j) = 1;

  const auto ws = model.make_workspace(k);
  model.bind(*ws, p);
  if (k > 0) model.bind_directions(*ws, dp);
  if (request.rank_tolerance > 0) mbs::Model::set_rank_tolerance(*ws, request.rank_tolerance);
  integrate::State state;
  state.y = model.initial_state();
  state.W.resize(sizes.ny(), k);

  Samples samples;
  Sampler sampler(model, request, p, dp, samples);
  sampler.start(state);
  integrate::Integrator integrator(model, *ws, request.options);
  samples.result =
      integrator.run(state, request.times.back(),
                     [&](const integrate::AcceptedStep& step) { return sampler.add(step); });
  EXPECT_TRUE(samples.result.finished()) << samples.result.message();
  return samples;
}

double largest_error(const Samples& samples, const io::CsvTable& table,
                     const std::vector<std::string>& columns) {
  double error = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& expected = table.column(columns[i]);
    const auto& seen = samples.values[i];
    if (expected.size() != seen.size()) {
      ADD_FAILURE() << seen.size() << " samples for " << expected.size() << " rows";
      return HUGE_VAL;
    }
    for (std::size_t s = 0; s < expected.size(); ++s) {
      error = std::max(error, std::abs(seen[s] - expected[s]));
    }
  }
  return error;
}

void report(const std::string& name, const Samples& samples, std::optional<double> error) {
  const auto& statistics = samples.result.statistics;
  fmt::print(
      "  {}: {}{} steps, {} rejected, {} evaluations, energy changed by {:.1e} of the largest "
      "kinetic energy\n",
      name, error ? fmt::format("error {:.1e}, ", *error) : "", statistics.steps,
      statistics.rejected, statistics.evaluations,
      samples.energy_drift / samples.largest_kinetic_energy);
}

}  // namespace parfait::reference
