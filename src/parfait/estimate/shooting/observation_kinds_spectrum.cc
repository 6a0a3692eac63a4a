#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include "parfait/estimate/problem/formula_names.h"
#include "parfait/estimate/shooting/observation_kinds.h"
#include "parfait/estimate/shooting/row_builder.h"
#include "parfait/math/dense_solves.h"

// <observe column="y" spectrum="rod.angle" from="1.4" to="1.9" of="amplitude" window="hanning"/>:
// the column holds samples in time; what is compared are Fourier coefficients of data and model
// over the window (begin, end], T = end - begin:
//
//   A_k = sum_i w_i y(t_i) cos(2 pi f_k t_i),   B_k = sum_i w_i y(t_i) sin(2 pi f_k t_i),
//   w_i = 2/N eta(t_i)                                                       (docs/theory/spectrum.md)
//
// With order="6" speeds="3000 3500" [rpm] and a run-up (ramp_from, ramp_to [rpm], ramp_begin,
// ramp_end [s]) there is a window for each speed n, where the ramp passes it, `periods` working
// cycles to both sides (stroke = 4: of two turns each), with one line at order * n and w_i = 2/T h
// eta(t_i), h the distance of samples.
//
// or of them the amplitude |C|, the power |C|^2 or ln |C|. White noise in the samples makes
// coefficients that are correlated (window, lines that are no multiples of 1/T): the rows of one
// spectrum are whitened with the Cholesky factor of their covariance, so that statistics stay
// honest.
namespace parfait::estimate {
namespace spectrum_observation {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr const char* kKey = "spectrum";

enum class Of { kCoefficients, kAmplitude, kPower, kLog };
enum class Window { kNone, kHanning, kFlatTop };

std::optional<double> number(const std::string& text) {
  double out = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, out);
  if (error != std::errc() || rest != end || !std::isfinite(out)) return {};
  return out;
}

std::optional<std::vector<double>> numbers(const std::string& text) {
  std::vector<double> out;
  std::size_t at = 0;
  while (true) {
    at = text.find_first_not_of(" \t\n", at);
    if (at == std::string::npos) return out;
    const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    const auto one = number(text.substr(at, end - at));
    if (!one) return {};
    out.push_back(*one);
    at = end;
  }
}

/// What an observation says, or why it makes no sense.
struct Settings {
  std::optional<double> from, to, begin, end;
  std::vector<double> lines;
  Of of = Of::kCoefficients;
  Window window = Window::kNone;
  bool of_coefficient = false;  ///< sigma is that of a coefficient, and nothing is whitened
  // Orders of a machine that runs up.
  std::optional<double> order, periods, stroke, ramp_from, ramp_to, ramp_begin, ramp_end;
  std::vector<double> speeds;  ///< [rpm]
};

template <class Fail>
Settings settings_of(const Observation& observation, const Fail& fail) {
  Settings out;
  const auto take = [&](const char* name, std::optional<double>& value) {
    const Setting* setting = observation.find(name);
    if (setting == nullptr) return;
    value = number(setting->text);
    if (!value) fail(*setting, "must be a number");
  };
  take("from", out.from);
  take("to", out.to);
  take("begin", out.begin);
  take("end", out.end);
  if (const Setting* lines = observation.find("lines")) {
    const auto list = numbers(lines->text);
    if (!list || list->empty()) fail(*lines, "must be frequencies [Hz]");
    if (list) out.lines = *list;
  }
  take("order", out.order);
  take("periods", out.periods);
  take("stroke", out.stroke);
  take("ramp_from", out.ramp_from);
  take("ramp_to", out.ramp_to);
  take("ramp_begin", out.ramp_begin);
  take("ramp_end", out.ramp_end);
  if (const Setting* speeds = observation.find("speeds")) {
    const auto list = numbers(speeds->text);
    const bool good =
        list && !list->empty() && std::ranges::all_of(*list, [](double n) { return n > 0; });
    if (!good) fail(*speeds, "must be speeds > 0 [rpm]");
    if (list) out.speeds = *list;
  }
  if (const Setting* of = observation.find("of")) {
    if (of->text == "coefficients") {
      out.of = Of::kCoefficients;
    } else if (of->text == "amplitude") {
      out.of = Of::kAmplitude;
    } else if (of->text == "power") {
      out.of = Of::kPower;
    } else if (of->text == "log") {
      out.of = Of::kLog;
    } else {
      fail(*of, "must be coefficients, amplitude, power or log");
    }
  }
  if (const Setting* window = observation.find("window")) {
    if (window->text == "none") {
      out.window = Window::kNone;
    } else if (window->text == "hanning") {
      out.window = Window::kHanning;
    } else if (window->text == "flat_top") {
      out.window = Window::kFlatTop;
    } else {
      fail(*window, "must be none, hanning or flat_top");
    }
  }
  if (const Setting* sigma = observation.find("sigma_of")) {
    if (sigma->text != "sample" && sigma->text != "coefficient") {
      fail(*sigma, "must be sample or coefficient");
    }
    out.of_coefficient = sigma->text == "coefficient";
  }
  return out;
}

const char* word_of(Of of) {
  return of == Of::kAmplitude ? "amplitude" : of == Of::kPower ? "power" : "log";
}

/// Mean 1 over the window, so that amplitudes stay what they are.
double window_at(Window window, double phase) {
  const double x = 2 * std::numbers::pi * phase;
  switch (window) {
    case Window::kNone:
      return 1;
    case Window::kHanning:
      return 1 - std::cos(x);
    case Window::kFlatTop:
      return (.21557895 - .41663158 * std::cos(x) + .277263158 * std::cos(2 * x) -
              .083578947 * std::cos(3 * x) + .006947368 * std::cos(4 * x)) /
             .21557895;
  }
  return 1;
}

/// Where coefficients are taken, and of which lines.
struct WindowOfLines {
  double begin = 0, end = 0;
  std::vector<double> lines;  ///< [Hz]
  std::vector<std::string> names;
  bool is_filled = true;  ///< by samples at equal distances; otherwise a sum for the integral
};

/// The linear map from samples to A_1, B_1, A_2, B_2, ...
struct SampleMap {
  std::vector<int> samples;        ///< of the measurements
  std::vector<double> lines;       ///< [Hz], of all windows
  std::vector<std::string> names;  ///< of the lines
  MatrixXd W;                      ///< 2 lines x samples
};

std::vector<WindowOfLines> windows_of(const Settings& settings,
                                      const std::vector<Measurement>& measurements) {
  std::vector<WindowOfLines> out;
  const double first = measurements.front().t, last = measurements.back().t;
  const auto n = static_cast<double>(measurements.size());
  const double step = n > 1 ? (last - first) / (n - 1) : 1;
  if (settings.order) {
    const double from = *settings.ramp_from, to = *settings.ramp_to;
    for (const double rpm : settings.speeds) {
      const double turns = rpm / 60;  // [1/s]
      const double t = *settings.ramp_begin +
                       (*settings.ramp_end - *settings.ramp_begin) * (rpm - from) / (to - from);
      const double half =
          settings.periods.value_or(2) * settings.stroke.value_or(4) / 2 / turns / 2;
      out.push_back({.begin = t - half,
                     .end = t + half,
                     .lines = {*settings.order * turns},
                     .names = {fmt::format("order {:g} at {:g} rpm", *settings.order, rpm)},
                     .is_filled = false});
    }
    return out;
  }
  WindowOfLines window{.begin = settings.begin.value_or(first - step),
                       .end = settings.end.value_or(last),
                       .lines = settings.lines,
                       .names = {}};
  const double T = window.end - window.begin;
  if (window.lines.empty() && T > 0) {
    const double from = settings.from.value_or(0), to = settings.to.value_or(0.5 / step);
    const auto last_line = static_cast<Index>(std::floor(to * T + 1e-9));
    for (auto k = static_cast<Index>(std::ceil(from * T - 1e-9)); k <= last_line; ++k) {
      window.lines.push_back(static_cast<double>(k) / T);
    }
  }
  for (const double line : window.lines) window.names.push_back(fmt::format("{:g} Hz", line));
  out.push_back(std::move(window));
  return out;
}

SampleMap make_map(const Settings& settings, const std::vector<Measurement>& measurements,
                   const Observation& observation) {
  const auto fail = [&](const std::string& message) {
    throw base::InputError(observation.place,
                           fmt::format("observe \"{}\": {}", observation.column, message));
  };
  SampleMap map;
  const auto windows = windows_of(settings, measurements);
  const auto time = [&](std::size_t i) { return measurements[i].t; };
  std::vector<std::vector<int>> inside;
  std::vector<bool> used(measurements.size(), false);
  for (const auto& window : windows) {
    const double T = window.end - window.begin, tiny = 1e-9 * T;
    if (!(T > 0)) {
      fail(fmt::format("the window from {:g} to {:g} is empty.", window.begin, window.end));
    }
    if (window.lines.empty()) {
      fail("there is no line in the band: lines lie at multiples of 1/(end - begin).");
    }
    auto& own = inside.emplace_back();
    for (std::size_t i = 0; i < measurements.size(); ++i) {
      if (time(i) > window.begin + tiny && time(i) <= window.end + tiny) {
        own.push_back(static_cast<int>(i));
        used[i] = true;
      }
    }
    const auto n = std::ssize(own);
    if (n < 4) {
      fail(fmt::format("fewer than four samples lie in the window from {:g} to {:g}.", window.begin,
                       window.end));
    }
    const double whole = T / static_cast<double>(n);
    const double step = window.is_filled ? whole
                                         : (time(static_cast<std::size_t>(own.back())) -
                                            time(static_cast<std::size_t>(own.front()))) /
                                               static_cast<double>(n - 1);
    for (std::size_t i = 1; i < own.size(); ++i) {
      const double gap =
          time(static_cast<std::size_t>(own[i])) - time(static_cast<std::size_t>(own[i - 1]));
      if (std::abs(gap - step) <= 1e-6 * step) continue;
      fail(fmt::format(
          "a spectrum needs samples at equal distances that fill the window: {} in {:g} "
          "should be {:g} apart, but two are {:g} apart.",
          n, T, step, gap));
    }
    if (!window.is_filled && std::abs(whole - step) > 2 * step) {
      fail(fmt::format("samples do not reach over the window from {:g} to {:g}.", window.begin,
                       window.end));
    }
  }
  std::vector<Index> column(measurements.size(), -1);
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    if (!used[i]) continue;
    column[i] = std::ssize(map.samples);
    map.samples.push_back(static_cast<int>(i));
  }
  for (const auto& window : windows) {
    map.lines.insert(map.lines.end(), window.lines.begin(), window.lines.end());
    map.names.insert(map.names.end(), window.names.begin(), window.names.end());
  }
  map.W = MatrixXd::Zero(2 * std::ssize(map.lines), std::ssize(map.samples));
  Index row = 0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const auto& window = windows[w];
    const auto& own = inside[w];
    const auto n = static_cast<double>(own.size());
    const double T = window.end - window.begin;
    const double step =
        (time(static_cast<std::size_t>(own.back())) - time(static_cast<std::size_t>(own.front()))) /
        (n - 1);
    for (const int i : own) {
      const double t = time(static_cast<std::size_t>(i));
      const double weight = (window.is_filled ? 2 / n : 2 * step / T) *
                            window_at(settings.window, (t - window.begin) / T);
      for (std::size_t k = 0; k < window.lines.size(); ++k) {
        const double phase = 2 * std::numbers::pi * window.lines[k] * t;
        const Index at = row + 2 * static_cast<Index>(k);
        map.W(at, column[static_cast<std::size_t>(i)]) = weight * std::cos(phase);
        map.W(at + 1, column[static_cast<std::size_t>(i)]) = weight * std::sin(phase);
      }
    }
    row += 2 * std::ssize(window.lines);
  }
  return map;
}

/// sum_i weight_i y_i: a coefficient.
class Sum final : public Observable {
 public:
  Sum(std::vector<std::shared_ptr<const Observable>> parts, VectorXd weights)
      : parts_(std::move(parts)), weights_(std::move(weights)) {}
  double value(const Trajectory& at) const override {
    double sum = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      sum += weights_[static_cast<Index>(i)] * parts_[i]->value(at);
    }
    return sum;
  }
  std::string missing(const Trajectory& at) const override {
    for (const auto& part : parts_) {
      if (auto why = part->missing(at); !why.empty()) return why;
    }
    return "";
  }
  void add_derivative(const Trajectory& at, const Condensed& condensed, double weight,
                      RowDerivative& row) const override {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      parts_[i]->add_derivative(at, condensed, weight * weights_[static_cast<Index>(i)], row);
    }
  }
  double shift(const Trajectory& at, const Condensed& condensed) const override {
    double sum = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      sum += weights_[static_cast<Index>(i)] * parts_[i]->shift(at, condensed);
    }
    return sum;
  }

 private:
  std::vector<std::shared_ptr<const Observable>> parts_;
  VectorXd weights_;
};

/// f(A, B) and its slope.
struct Bin {
  double value = 0, by_A = 0, by_B = 0;
};
Bin bin_of(Of of, double A, double B) {
  const double square = A * A + B * B, length = std::sqrt(square);
  switch (of) {
    case Of::kAmplitude:
      return {length, A / length, B / length};
    case Of::kPower:  // half the sum of its squares is a quarter of the sum of (|C|^2 - ...)^2
      return {square / std::numbers::sqrt2, std::numbers::sqrt2 * A, std::numbers::sqrt2 * B};
    case Of::kLog:
      return {0.5 * std::log(square), A / square, B / square};
    case Of::kCoefficients:
      break;
  }
  return {};
}

/// |C|, |C|^2 / sqrt 2 or ln |C| of two coefficients.
class OfBin final : public Observable {
 public:
  OfBin(Of of, std::shared_ptr<const Observable> A, std::shared_ptr<const Observable> B,
        std::string name)
      : of_(of), A_(std::move(A)), B_(std::move(B)), name_(std::move(name)) {}
  double value(const Trajectory& at) const override {
    return bin_of(of_, A_->value(at), B_->value(at)).value;
  }
  std::string missing(const Trajectory& at) const override {
    if (auto why = A_->missing(at); !why.empty()) return why;
    const bool zero = A_->value(at) == 0 && B_->value(at) == 0;
    if (!zero || of_ == Of::kPower) return "";
    return fmt::format("{}: the amplitude of the model is 0, where it has no derivative", name_);
  }
  void add_derivative(const Trajectory& at, const Condensed& condensed, double weight,
                      RowDerivative& row) const override {
    const Bin bin = bin_of(of_, A_->value(at), B_->value(at));
    A_->add_derivative(at, condensed, weight * bin.by_A, row);
    B_->add_derivative(at, condensed, weight * bin.by_B, row);
  }
  double shift(const Trajectory& at, const Condensed& condensed) const override {
    const Bin bin = bin_of(of_, A_->value(at), B_->value(at));
    return bin.by_A * A_->shift(at, condensed) + bin.by_B * B_->shift(at, condensed);
  }

 private:
  Of of_;
  std::shared_ptr<const Observable> A_, B_;
  std::string name_;
};

class SpectrumObservation final : public ObservationKind {
 public:
  std::string key() const override { return kKey; }
  std::vector<std::string> attributes() const override {
    return {"from",      "to",       "lines",      "of",      "window",  "begin",
            "end",       "sigma_of", "order",      "speeds",  "periods", "stroke",
            "ramp_from", "ramp_to",  "ramp_begin", "ramp_end"};
  }
  bool is_collective() const override { return true; }
  FormulaText quantity_of(const Observation& observation) const override {
    const Setting* setting = observation.find(kKey);
    return setting == nullptr ? FormulaText() : FormulaText(setting->text, setting->place);
  }

  void check(const Observation& observation, const ExperimentDescription& experiment,
             const std::vector<std::string>& estimated, const Subject& subject) const override {
    const FormulaText quantity = quantity_of(observation);
    if (quantity.empty()) subject.fail("a quantity is missing.");
    const Settings settings = settings_of(observation, [&](const Setting& s, const char* message) {
      subject.fail_at(s.place, fmt::format("{} = \"{}\": {}.", s.name, s.text, message));
    });
    if (!settings.lines.empty() && (settings.from || settings.to)) {
      subject.fail("give \"lines\", or \"from\" and \"to\", not both.");
    }
    const bool has_ramp =
        settings.ramp_from && settings.ramp_to && settings.ramp_begin && settings.ramp_end;
    const bool any = settings.periods || settings.stroke || settings.ramp_from ||
                     settings.ramp_to || settings.ramp_begin || settings.ramp_end ||
                     !settings.speeds.empty();
    if (settings.order && (!has_ramp || settings.speeds.empty())) {
      subject.fail("an order needs speeds, ramp_from, ramp_to, ramp_begin and ramp_end.");
    }
    if (!settings.order && any) subject.fail("speeds and ramps belong to an order.");
    if (settings.order && (settings.from || settings.to || !settings.lines.empty() ||
                           settings.begin || settings.end)) {
      subject.fail("an order has windows and lines of its own.");
    }
    if (settings.order && (*settings.ramp_from == *settings.ramp_to ||
                           *settings.ramp_begin >= *settings.ramp_end || !(*settings.order > 0))) {
      subject.fail("the ramp must lead from one speed to another, and the order be > 0.");
    }
    if (observation.noise != Noise{} || !observation.sigma.formula.empty()) {
      subject.fail("a spectrum has normal errors of known sigma in its samples.");
    }
    std::vector<std::string> others = estimated;
    for (const SetParameter& set : experiment.sets) others.push_back(set.parameter);
    const auto names = names_in(quantity, *experiment.system, subject, others);
    if (varies(names, *experiment.system, estimated)) return;
    subject.fail(
        fmt::format("\"{}\" depends on no state and no estimated parameter, so it cannot be "
                    "used to estimate anything.",
                    quantity.text));
  }

  void request(const Observation&, const Measurement& measurement,
               RowBuilder& builder) const override {
    builder.request_sample(measurement.t);
  }

  std::shared_ptr<const Observable> make(const Observation& observation,
                                         const Measurement& measurement,
                                         RowBuilder& builder) const override {
    return builder.quantity_at(measurement.t, quantity_of(observation), observation.place);
  }

  std::vector<CollectiveRow> make_rows(const Observation& observation,
                                       const std::vector<Measurement>& measurements,
                                       RowBuilder& builder) const override {
    const Settings settings = settings_of(observation, [](const Setting&, const char*) {});
    const SampleMap map = make_map(settings, measurements, observation);
    const auto n = std::ssize(map.samples), lines = std::ssize(map.lines);
    std::vector<std::shared_ptr<const Observable>> samples;
    VectorXd y(n), sigma(n);
    for (Index i = 0; i < n; ++i) {
      const Measurement& m =
          measurements[static_cast<std::size_t>(map.samples[static_cast<std::size_t>(i)])];
      samples.push_back(make(observation, m, builder));
      y[i] = m.value;
      sigma[i] = m.sigma;
    }
    const VectorXd measured = map.W * y;
    const auto name = [&](Index line) {
      return fmt::format("{} {}", observation.column, map.names[static_cast<std::size_t>(line)]);
    };
    // What is compared, before it is whitened: values of model and data, slopes by the samples.
    struct Raw {
      std::shared_ptr<const Observable> what;
      std::string name;
      double t = 0, value = 0;
    };
    std::vector<Raw> raw;
    MatrixXd slope;
    if (settings.of == Of::kCoefficients) {
      slope = map.W;
      for (Index k = 0; k < 2 * lines; ++k) {
        raw.push_back({std::make_shared<Sum>(samples, map.W.row(k).transpose()),
                       observation.column + (k % 2 == 0 ? " cos" : " sin"),
                       map.lines[static_cast<std::size_t>(k / 2)], measured[k]});
      }
    } else {
      slope.resize(lines, n);
      for (Index k = 0; k < lines; ++k) {
        const double A = measured[2 * k], B = measured[2 * k + 1];
        if (A == 0 && B == 0) {
          throw base::InputError(
              observation.place,
              fmt::format("observe \"{}\": the amplitude of the data at {:g} Hz is "
                          "0, where it has no derivative. Leave the line out, or "
                          "compare coefficients.",
                          observation.column, map.lines[static_cast<std::size_t>(k)]));
        }
        const Bin bin = bin_of(settings.of, A, B);
        slope.row(k) = bin.by_A * map.W.row(2 * k) + bin.by_B * map.W.row(2 * k + 1);
        raw.push_back(
            {std::make_shared<OfBin>(
                 settings.of, std::make_shared<Sum>(samples, map.W.row(2 * k).transpose()),
                 std::make_shared<Sum>(samples, map.W.row(2 * k + 1).transpose()), name(k)),
             observation.column + " " + word_of(settings.of),
             map.lines[static_cast<std::size_t>(k)], bin.value});
      }
    }
    return settings.of_coefficient ? plain_rows(raw, sigma[0]) : whitened_rows(raw, slope, sigma);
  }

 private:
  template <class Raw>
  static std::vector<CollectiveRow> plain_rows(const std::vector<Raw>& raw, double sigma) {
    std::vector<CollectiveRow> out;
    for (const auto& one : raw) {
      CollectiveRow& row = out.emplace_back();
      row.row.terms = {{.what = one.what, .weight = 1 / sigma}};
      row.row.constant = -one.value / sigma;
      row.info = {.column = one.name, .t = one.t, .measured = one.value, .sigma = sigma};
    }
    return out;
  }

  /// L^-1 (model - data), L L^T = slope diag(sigma^2) slope^T; rows that depend on those before
  /// them (the sine at 0 Hz) tell nothing and are left out.
  template <class Raw>
  static std::vector<CollectiveRow> whitened_rows(const std::vector<Raw>& raw,
                                                  const MatrixXd& slope, const VectorXd& sigma) {
    const MatrixXd scaled = slope * sigma.asDiagonal();
    const auto m = scaled.rows();
    std::vector<Index> kept;
    std::vector<VectorXd> basis;  // orthonormal
    std::vector<VectorXd> combination;
    double largest = 0;
    for (Index k = 0; k < m; ++k) largest = std::max(largest, scaled.row(k).norm());
    for (Index k = 0; k < m; ++k) {
      VectorXd rest = scaled.row(k).transpose();
      VectorXd of = VectorXd::Zero(m);
      of[k] = 1;
      for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t j = 0; j < basis.size(); ++j) {
          const double along = basis[j].dot(rest);
          rest -= along * basis[j];
          of -= along * combination[j];
        }
      }
      const double length = rest.norm();
      if (!(length > 1e-9 * largest)) continue;
      kept.push_back(k);
      basis.emplace_back(rest / length);
      combination.emplace_back(of / length);
    }
    std::vector<CollectiveRow> out;
    for (std::size_t j = 0; j < kept.size(); ++j) {
      CollectiveRow& row = out.emplace_back();
      double measured = 0;
      for (Index k = 0; k <= kept[j]; ++k) {
        const double weight = combination[j][k];
        if (std::abs(weight) < 1e-14 * combination[j].cwiseAbs().maxCoeff()) continue;
        const auto& one = raw[static_cast<std::size_t>(k)];
        row.row.terms.push_back({.what = one.what, .weight = weight});
        measured += weight * one.value;
      }
      row.row.constant = -measured;
      const auto& one = raw[static_cast<std::size_t>(kept[j])];
      row.info = {.column = one.name, .t = one.t, .measured = measured, .sigma = 1};
    }
    return out;
  }
};

}  // namespace
}  // namespace spectrum_observation

std::unique_ptr<const ObservationKind> make_spectrum_observation() {
  return std::make_unique<spectrum_observation::SpectrumObservation>();
}

}  // namespace parfait::estimate
