#include "parfait/estimate/problem/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "parfait/base/error.h"

namespace parfait::estimate {
namespace spectra {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Of = SpectrumOf;
using Window = SpectrumWindow;

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

std::vector<WindowOfLines> windows_of(const SpectrumSettings& settings,
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

/// Samples, lines and W.
Spectrum make_map(const SpectrumSettings& settings, const std::vector<Measurement>& measurements,
                  const Observation& observation) {
  const auto fail = [&](const std::string& message) {
    throw base::InputError(observation.place,
                           fmt::format("observe \"{}\": {}", observation.column, message));
  };
  Spectrum map;
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

/// What is compared; `slope` by the samples, at the data.
void add_values(const Observation& observation, const VectorXd& measured, Spectrum& to,
                MatrixXd& slope) {
  const Index lines = std::ssize(to.lines);
  if (to.of == Of::kCoefficients) {
    slope = to.W;
    for (Index k = 0; k < 2 * lines; ++k) {
      to.values.push_back({.column = observation.column + (k % 2 == 0 ? " cos" : " sin"),
                           .line = to.lines[static_cast<std::size_t>(k / 2)],
                           .measured = measured[k]});
    }
    return;
  }
  slope.resize(lines, to.W.cols());
  for (Index k = 0; k < lines; ++k) {
    const double A = measured[2 * k], B = measured[2 * k + 1];
    const double line = to.lines[static_cast<std::size_t>(k)];
    if (A == 0 && B == 0) {
      throw base::InputError(observation.place,
                             fmt::format("observe \"{}\": the amplitude of the data at {:g} Hz is "
                                         "0, where it has no derivative. Leave the line out, or "
                                         "compare coefficients.",
                                         observation.column, line));
    }
    const SpectrumBin bin = spectrum_bin(to.of, A, B);
    slope.row(k) = bin.by_A * to.W.row(2 * k) + bin.by_B * to.W.row(2 * k + 1);
    to.values.push_back(
        {.column = observation.column + " " + word_of(to.of), .line = line, .measured = bin.value});
  }
}

void add_plain_rows(double sigma, Spectrum& to) {
  const Index n = std::ssize(to.values);
  to.T = MatrixXd::Identity(n, n) / sigma;
  for (int k = 0; k < n; ++k) {
    to.rows.push_back(
        {.value = k, .measured = to.values[static_cast<std::size_t>(k)].measured, .sigma = sigma});
  }
}

/// T = L^-1, L L^T = slope diag(sigma^2) slope^T; rows that depend on those before them (the sine
/// at 0 Hz) tell nothing and are left out.
void add_whitened_rows(const MatrixXd& slope, const VectorXd& sigma, Spectrum& to) {
  const MatrixXd scaled = slope * sigma.asDiagonal();
  const Index m = scaled.rows();
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
    to.rows.push_back({.value = static_cast<int>(k)});
    basis.emplace_back(rest / length);
    combination.emplace_back(of / length);
  }
  to.T = MatrixXd::Zero(std::ssize(to.rows), m);
  for (std::size_t j = 0; j < to.rows.size(); ++j) {
    const double tiny = 1e-14 * combination[j].cwiseAbs().maxCoeff();
    for (Index k = 0; k <= to.rows[j].value; ++k) {
      const double weight = combination[j][k];
      if (std::abs(weight) < tiny) continue;
      to.T(static_cast<Index>(j), k) = weight;
      to.rows[j].measured += weight * to.values[static_cast<std::size_t>(k)].measured;
    }
  }
}

/// f(C) of the coefficients, and its slopes (2 per line).
VectorXd values_of(const Spectrum& spectrum, const VectorXd& C, VectorXd* slopes) {
  if (spectrum.of == Of::kCoefficients) {
    if (slopes) slopes->setOnes(C.size());
    return C;
  }
  VectorXd out(C.size() / 2);
  if (slopes) slopes->resize(C.size());
  for (Index k = 0; k < out.size(); ++k) {
    const SpectrumBin bin = spectrum_bin(spectrum.of, C[2 * k], C[2 * k + 1]);
    out[k] = bin.value;
    if (slopes) slopes->segment<2>(2 * k) << bin.by_A, bin.by_B;
  }
  return out;
}

}  // namespace
}  // namespace spectra

SpectrumSettings spectrum_settings(
    const Observation& observation,
    const std::function<void(const Setting&, const char*)>& on_nonsense) {
  using spectra::number, spectra::numbers;
  using Of = SpectrumOf;
  using Window = SpectrumWindow;
  SpectrumSettings out;
  const auto fail = [&](const Setting& setting, const char* why) {
    if (on_nonsense) on_nonsense(setting, why);
  };
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

SpectrumBin spectrum_bin(SpectrumOf of, double A, double B) {
  const double square = A * A + B * B, length = std::sqrt(square);
  switch (of) {
    case SpectrumOf::kAmplitude:
      return {length, A / length, B / length};
    case SpectrumOf::kPower:  // half the sum of its squares is a quarter of the sum of (|C|^2 -
                              // ...)^2
      return {square / std::numbers::sqrt2, std::numbers::sqrt2 * A, std::numbers::sqrt2 * B};
    case SpectrumOf::kLog:
      return {0.5 * std::log(square), A / square, B / square};
    case SpectrumOf::kCoefficients:
      break;
  }
  return {};
}

Spectrum make_spectrum(const Observation& observation,
                       const std::vector<Measurement>& measurements) {
  const SpectrumSettings settings = spectrum_settings(observation);
  Spectrum out = spectra::make_map(settings, measurements, observation);
  out.of = settings.of;
  const auto n = std::ssize(out.samples);
  Eigen::VectorXd y(n), sigma(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Measurement& m =
        measurements[static_cast<std::size_t>(out.samples[static_cast<std::size_t>(i)])];
    y[i] = m.value;
    sigma[i] = m.sigma;
  }
  Eigen::MatrixXd slope;
  spectra::add_values(observation, out.W * y, out, slope);
  if (settings.of_coefficient) {
    spectra::add_plain_rows(sigma[0], out);
  } else {
    spectra::add_whitened_rows(slope, sigma, out);
  }
  return out;
}

std::string SpectrumRows::missing(VecIn y) const {
  if (spectrum_.of == SpectrumOf::kCoefficients || spectrum_.of == SpectrumOf::kPower) return "";
  const Eigen::VectorXd C = spectrum_.W * y;
  for (std::size_t k = 0; k < spectrum_.lines.size(); ++k) {
    if (C[2 * static_cast<Eigen::Index>(k)] != 0 || C[2 * static_cast<Eigen::Index>(k) + 1] != 0) {
      continue;
    }
    return fmt::format("{} {}: the amplitude of the model is 0, where it has no derivative",
                       spectrum_.values[k].column, spectrum_.names[k]);
  }
  return "";
}

Eigen::VectorXd SpectrumRows::residuals(VecIn y) const {
  const Eigen::VectorXd C = spectrum_.W * y;
  Eigen::VectorXd difference = spectra::values_of(spectrum_, C, nullptr);
  for (Eigen::Index k = 0; k < difference.size(); ++k) {
    difference[k] -= spectrum_.values[static_cast<std::size_t>(k)].measured;
  }
  return spectrum_.T * difference;
}

Eigen::VectorXd SpectrumRows::push_forward(VecIn y, VecIn dy) const {
  const Eigen::VectorXd C = spectrum_.W * y, dC = spectrum_.W * dy;
  Eigen::VectorXd slopes;
  spectra::values_of(spectrum_, C, &slopes);
  const Eigen::VectorXd d = slopes.cwiseProduct(dC);
  if (spectrum_.of == SpectrumOf::kCoefficients) return spectrum_.T * d;
  Eigen::VectorXd sum(d.size() / 2);
  for (Eigen::Index k = 0; k < sum.size(); ++k) sum[k] = d[2 * k] + d[2 * k + 1];
  return spectrum_.T * sum;
}

Eigen::VectorXd SpectrumRows::pull_back(VecIn y, VecIn r_bar) const {
  const Eigen::VectorXd C = spectrum_.W * y;
  Eigen::VectorXd slopes;
  spectra::values_of(spectrum_, C, &slopes);
  const Eigen::VectorXd bar = spectrum_.T.transpose() * r_bar;
  const int coefficients_per_value = spectrum_.of == SpectrumOf::kCoefficients ? 1 : 2;
  for (Eigen::Index k = 0; k < slopes.size(); ++k) slopes[k] *= bar[k / coefficients_per_value];
  return spectrum_.W.transpose() * slopes;
}

}  // namespace parfait::estimate
