#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/estimate/problem/formula_names.h"
#include "parfait/estimate/problem/spectrum.h"
#include "parfait/estimate/shooting/observation_kinds.h"
#include "parfait/estimate/shooting/row_builder.h"

// <observe column="y" spectrum="rod.angle" from="1.4" to="1.9" of="amplitude" window="hanning"/>
// as rows of a trajectory; what they are says problem/spectrum.h.
namespace parfait::estimate {
namespace spectrum_observation {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr const char* kKey = "spectrum";

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

/// |C|, |C|^2 / sqrt 2 or ln |C| of two coefficients.
class OfBin final : public Observable {
 public:
  OfBin(SpectrumOf of, std::shared_ptr<const Observable> A, std::shared_ptr<const Observable> B,
        std::string name)
      : of_(of), A_(std::move(A)), B_(std::move(B)), name_(std::move(name)) {}
  double value(const Trajectory& at) const override {
    return spectrum_bin(of_, A_->value(at), B_->value(at)).value;
  }
  std::string missing(const Trajectory& at) const override {
    if (auto why = A_->missing(at); !why.empty()) return why;
    const bool zero = A_->value(at) == 0 && B_->value(at) == 0;
    if (!zero || of_ == SpectrumOf::kPower) return "";
    return fmt::format("{}: the amplitude of the model is 0, where it has no derivative", name_);
  }
  void add_derivative(const Trajectory& at, const Condensed& condensed, double weight,
                      RowDerivative& row) const override {
    const SpectrumBin bin = spectrum_bin(of_, A_->value(at), B_->value(at));
    A_->add_derivative(at, condensed, weight * bin.by_A, row);
    B_->add_derivative(at, condensed, weight * bin.by_B, row);
  }
  double shift(const Trajectory& at, const Condensed& condensed) const override {
    const SpectrumBin bin = spectrum_bin(of_, A_->value(at), B_->value(at));
    return bin.by_A * A_->shift(at, condensed) + bin.by_B * B_->shift(at, condensed);
  }

 private:
  SpectrumOf of_;
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
    const SpectrumSettings settings =
        spectrum_settings(observation, [&](const Setting& s, const char* message) {
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
    const Spectrum spectrum = make_spectrum(observation, measurements);
    std::vector<std::shared_ptr<const Observable>> samples;
    for (const int i : spectrum.samples) {
      samples.push_back(make(observation, measurements[static_cast<std::size_t>(i)], builder));
    }
    const auto coefficient = [&](Index k) {
      return std::make_shared<Sum>(samples, spectrum.W.row(k).transpose());
    };
    std::vector<std::shared_ptr<const Observable>> values;
    for (Index k = 0; k < std::ssize(spectrum.values); ++k) {
      if (spectrum.of == SpectrumOf::kCoefficients) {
        values.push_back(coefficient(k));
      } else {
        values.push_back(std::make_shared<OfBin>(
            spectrum.of, coefficient(2 * k), coefficient(2 * k + 1),
            fmt::format("{} {}", observation.column, spectrum.names[static_cast<std::size_t>(k)])));
      }
    }
    std::vector<CollectiveRow> out;
    for (Index j = 0; j < std::ssize(spectrum.rows); ++j) {
      CollectiveRow& row = out.emplace_back();
      const Spectrum::Row& of = spectrum.rows[static_cast<std::size_t>(j)];
      const Spectrum::Value& value = spectrum.values[static_cast<std::size_t>(of.value)];
      for (Index k = 0; k <= of.value; ++k) {
        const double weight = spectrum.T(j, k);
        if (weight == 0) continue;
        row.row.terms.push_back({.what = values[static_cast<std::size_t>(k)], .weight = weight});
      }
      row.row.constant = -of.measured / of.sigma;
      row.info = {
          .column = value.column, .t = value.line, .measured = of.measured, .sigma = of.sigma};
    }
    return out;
  }

  std::unique_ptr<const SampleRows> sample_rows(
      const Observation& observation, const std::vector<Measurement>& measurements) const override {
    return std::make_unique<SpectrumRows>(make_spectrum(observation, measurements));
  }
};

}  // namespace
}  // namespace spectrum_observation

std::unique_ptr<const ObservationKind> make_spectrum_observation() {
  return std::make_unique<spectrum_observation::SpectrumObservation>();
}

}  // namespace parfait::estimate
