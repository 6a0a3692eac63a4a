#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parfait/estimate/problem/measurements.h"
#include "parfait/estimate/problem/sample_rows.h"

// What <observe spectrum="..."> compares: the column holds samples in time; data and model are
// compared by Fourier coefficients over the window (begin, end], T = end - begin,
//
//   A_k = sum_i w_i y(t_i) cos(2 pi f_k t_i),   B_k = sum_i w_i y(t_i) sin(2 pi f_k t_i),
//   w_i = 2/N eta(t_i)                                                       (docs/theory/spectrum.md)
//
// or of them by the amplitude |C|, the power |C|^2 or ln |C|. White noise in the samples makes
// coefficients that are correlated (window, lines that are no multiples of 1/T): the rows of one
// spectrum are whitened with the Cholesky factor of their covariance, so that statistics stay
// honest.
//
// With order="6" speeds="3000 3500" [rpm] and a run-up (ramp_from, ramp_to [rpm], ramp_begin,
// ramp_end [s]) there is a window for each speed n, where the ramp passes it, `periods` working
// cycles to both sides (stroke = 4: of two turns each), with one line at order * n and w_i = 2/T h
// eta(t_i), h the distance of samples.
namespace parfait::estimate {

enum class SpectrumOf : std::uint8_t { kCoefficients, kAmplitude, kPower, kLog };
enum class SpectrumWindow : std::uint8_t { kNone, kHanning, kFlatTop };

/// What the attributes of an observation say.
struct SpectrumSettings {
  std::optional<double> from{}, to{}, begin{}, end{};
  std::vector<double> lines{};
  SpectrumOf of = SpectrumOf::kCoefficients;
  SpectrumWindow window = SpectrumWindow::kNone;
  bool of_coefficient = false;  ///< sigma is that of a coefficient, and nothing is whitened
  // Orders of a machine that runs up.
  std::optional<double> order{}, periods{}, stroke{}, ramp_from{}, ramp_to{}, ramp_begin{},
      ramp_end{};
  std::vector<double> speeds{};  ///< [rpm]
};
/// `fail` is told of a setting that makes no sense.
SpectrumSettings spectrum_settings(
    const Observation& observation,
    const std::function<void(const Setting&, const char*)>& fail = {});

/// f(A, B), |C|, |C|^2 / sqrt 2 or ln |C|, and its slopes.
struct SpectrumBin {
  double value = 0, by_A = 0, by_B = 0;
};
SpectrumBin spectrum_bin(SpectrumOf of, double A, double B);

/// r = T (f(W y) - f(W eta)): the samples y become coefficients A_1, B_1, A_2, ..., these the
/// values that are compared, and these, whitened, residuals.
struct Spectrum {
  /// What is compared, before it is whitened.
  struct Value {
    std::string column;
    double line = 0;      ///< [Hz]
    double measured = 0;  ///< f of the data
  };
  /// A residual.
  struct Row {
    int value = 0;  ///< the last that it contains
    double measured = 0, sigma = 1;
  };
  SpectrumOf of = SpectrumOf::kCoefficients;
  std::vector<int> samples{};        ///< of the measurements of the column
  std::vector<double> lines{};       ///< [Hz], of all windows
  std::vector<std::string> names{};  ///< of the lines
  Eigen::MatrixXd W{};               ///< 2 lines x samples
  std::vector<Value> values{};
  std::vector<Row> rows{};
  Eigen::MatrixXd T{};  ///< rows x values
};
/// InputError at the place of the observation if its window and samples do not fit together.
Spectrum make_spectrum(const Observation& observation,
                       const std::vector<Measurement>& measurements);

/// A spectrum as a function of its samples.
class SpectrumRows final : public SampleRows {
 public:
  explicit SpectrumRows(Spectrum spectrum) : spectrum_(std::move(spectrum)) {}
  const std::vector<int>& samples() const override { return spectrum_.samples; }
  int size() const override { return static_cast<int>(spectrum_.rows.size()); }
  std::string missing(VecIn y) const override;
  Eigen::VectorXd residuals(VecIn y) const override;
  Eigen::VectorXd push_forward(VecIn y, VecIn dy) const override;
  Eigen::VectorXd pull_back(VecIn y, VecIn r_bar) const override;

 private:
  Spectrum spectrum_;
};

}  // namespace parfait::estimate
