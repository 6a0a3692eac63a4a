#include "parfait/estimate/statistics/identifiability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "parfait/estimate/statistics/combination_name.h"
#include "parfait/estimate/statistics/fixing_sets.h"
#include "parfait/estimate/statistics/sparse_basis.h"

namespace parfait::estimate {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// "a", "a and b", "a, b and c".
std::string prose(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

class Diagnosis {
 public:
  Diagnosis(const IdentifiabilityInput& input, const IdentifiabilityOptions& options)
      : in_(input), options_(options) {}

  Identifiability run() {
    const MatrixXd basis = sparse_basis(in_.undetermined, options_.direction_tolerance);
    const auto sets = joined_parts(tied_places(basis));
    for (const Tied& tied : sets) {
      if (is_alone(tied)) out_.findings.push_back(no_influence(tied.places[0]));
    }
    for (const Tied& tied : sets) {
      if (!is_alone(tied)) out_.findings.push_back(combination(tied, basis));
    }
    add_correlations();
    for (std::size_t i = 0; i < in_.names.size(); ++i) {
      out_.sources.push_back(source_of(static_cast<Index>(i)));
    }
    return std::move(out_);
  }

 private:
  const std::string& name(int i) const { return in_.names[static_cast<std::size_t>(i)]; }

  bool is_part(Index i) const {
    return !in_.part_of.empty() && !in_.part_of[static_cast<std::size_t>(i)].empty();
  }

  bool is_alone(const Tied& tied) const {
    return tied.places.size() == 1 && !is_part(tied.places[0]);
  }

  /// What a person calls these unknowns, each once.
  std::vector<std::string> labels_of(const Tied& tied) const {
    std::vector<std::string> labels;
    for (int i : tied.places) {
      const std::string& label = is_part(i) ? in_.part_of[static_cast<std::size_t>(i)] : name(i);
      if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
    }
    return labels;
  }

  /// Sets of parts of the same thing become one.
  std::vector<Tied> joined_parts(const std::vector<Tied>& sets) const {
    std::vector<Tied> joined;
    for (const Tied& tied : sets) {
      const auto same = std::ranges::find_if(joined, [&](const Tied& other) {
        return is_part(tied.places[0]) && labels_of(tied) == labels_of(other);
      });
      if (same == joined.end()) {
        joined.push_back(tied);
        continue;
      }
      same->places.insert(same->places.end(), tied.places.begin(), tied.places.end());
      same->vectors.insert(same->vectors.end(), tied.vectors.begin(), tied.vectors.end());
    }
    return joined;
  }

  /// Experiments whose data depend on one of the unknowns.
  std::vector<std::string> experiments_of(const std::vector<int>& unknowns) const {
    std::vector<std::string> ids;
    for (Index e = 0; e < in_.column_norms.rows(); ++e) {
      const bool depends = std::any_of(unknowns.begin(), unknowns.end(),
                                       [&](int i) { return in_.column_norms(e, i) > 0; });
      if (depends) ids.push_back(in_.experiments[static_cast<std::size_t>(e)]);
    }
    return ids;
  }

  Finding no_influence(int i) const {
    Finding f{.kind = Finding::Kind::kNoInfluence, .parameters = {name(i)}};
    f.experiments = experiments_of({i});
    f.text = f.experiments.empty()
                 ? fmt::format("{} has no influence on any measurement.", name(i))
                 : fmt::format(
                       "{} has hardly any influence on the measurements: the data do not "
                       "determine it.",
                       name(i));
    f.fixings = {{name(i)}};
    f.advice = fmt::format("Fix {}, or measure something that depends on it.", name(i));
    return f;
  }

  Finding combination(const Tied& tied, const MatrixXd& basis) const {
    Finding f{.kind = Finding::Kind::kCombination};
    const auto n = static_cast<Index>(tied.places.size());
    VectorXd p(n), dp_dx(n);
    for (Index k = 0; k < n; ++k) {
      const int i = tied.places[static_cast<std::size_t>(k)];
      f.parameters.push_back(name(i));
      p[k] = in_.values[i];
      dp_dx[k] = in_.dp_dx[i];
    }
    const MatrixXd open = basis(tied.places, tied.vectors);
    f.directions = directions_of(open, dp_dx, p);
    if (std::ranges::any_of(tied.places, [this](int i) { return is_part(i); })) {
      const auto labels = labels_of(tied);
      f.experiments = experiments_of(tied.places);
      f.text = fmt::format("The data do not determine all of {}{}.", prose(labels),
                           labels.size() > 1 ? ", only combinations" : "");
      return f;
    }
    const MatrixXd fixed = sparse_complement(open, options_.direction_tolerance);
    for (Index v = 0; v < fixed.cols(); ++v) {
      f.determined.push_back(name_of(tied, fixed.col(v), p, dp_dx));
    }
    f.experiments = experiments_of(tied.places);
    f.text = fmt::format("The data determine only {}: {} cannot be told apart.",
                         prose(f.determined), prose(f.parameters));
    if (in_.experiments.size() > 1 && !f.experiments.empty()) {
      f.text += fmt::format(" Data that depend on them: {}.", prose(f.experiments));
    }
    for (Index v = 0; v < f.directions.cols(); ++v) {
      f.effects.push_back(effect_of(f.parameters, f.directions.col(v), p));
    }
    add_fixings(relative(f.directions, p), f);
    return f;
  }

  /// Changes in shares of the parameters, or as they are where a parameter is 0.
  static MatrixXd relative(MatrixXd directions, const VectorXd& p) {
    for (Index k = 0; k < p.size(); ++k) {
      if (p[k] != 0) directions.row(k) /= std::abs(p[k]);
    }
    return directions;
  }

  /// "k1 +1 %, k2 -1 %": the largest changes, scaled so that the largest is 1 %.
  static std::string effect_of(const std::vector<std::string>& names, const VectorXd& direction,
                               const VectorXd& p) {
    std::vector<Index> order;
    VectorXd share = direction;
    for (Index k = 0; k < p.size(); ++k) {
      if (direction[k] == 0) continue;
      order.push_back(k);
      if (p[k] != 0) share[k] /= std::abs(p[k]);
    }
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return std::abs(share[a]) > std::abs(share[b]) * (1 + 1e-6);
    });
    constexpr std::size_t kMostNamed = 6;
    const double sign = share[order[0]] < 0 ? -1 : 1;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMostNamed, order.size()); ++i) {
      const Index k = order[i];
      text += fmt::format("{}{} ", i == 0 ? "" : ", ", names[static_cast<std::size_t>(k)]);
      text += p[k] != 0 ? fmt::format("{:+.3g} %", sign * share[k])
                        : fmt::format("{:+.3g}", 0.01 * sign * share[k]);
    }
    if (order.size() > kMostNamed) text += fmt::format(" and {} more", order.size() - kMostNamed);
    return text;
  }

  void add_fixings(const MatrixXd& directions, Finding& f) const {
    std::vector<std::string> sets;
    for (const FixingSet& set : fixing_sets(directions, options_.most_fixings)) {
      auto& names = f.fixings.emplace_back();
      for (const int k : set.places) names.push_back(f.parameters[static_cast<std::size_t>(k)]);
      sets.push_back(prose(names));
    }
    if (f.fixings.empty()) return;
    const Index d = directions.cols();
    if (f.fixings.size() == 1) {
      f.advice = fmt::format("Fix or measure {}.", sets[0]);
    } else if (d == 1) {
      f.advice = fmt::format("Fix or measure one of {}.", prose(sets));
    } else {
      f.advice = fmt::format("Fix or measure {} of them:", d);
      for (std::size_t i = 0; i < sets.size(); ++i) {
        f.advice += fmt::format("{} {}",
                                i == 0                 ? ""
                                : i + 1 == sets.size() ? "; or"
                                                       : ";",
                                sets[i]);
      }
      f.advice += ".";
    }
  }

  /// dc = w dx = sum w_i / (dp/dx)_i dp_i, of the parameters that take part.
  std::string name_of(const Tied& tied, const VectorXd& w, const VectorXd& p,
                      const VectorXd& dp_dx) const {
    std::vector<std::string> names;
    std::vector<bool> logs;
    std::vector<Index> part;
    for (Index k = 0; k < w.size(); ++k) {
      if (w[k] == 0) continue;
      const int i = tied.places[static_cast<std::size_t>(k)];
      part.push_back(k);
      names.push_back(name(i));
      logs.push_back(in_.is_log[static_cast<std::size_t>(i)]);
    }
    const VectorXd weights = w.cwiseQuotient(dp_dx);
    return combination_name(names, weights(part), p(part), logs, options_.name_tolerance);
  }

  static MatrixXd directions_of(const MatrixXd& open, const VectorXd& dp_dx, const VectorXd& p) {
    MatrixXd directions = dp_dx.asDiagonal() * open;
    for (Index v = 0; v < directions.cols(); ++v) {
      double largest = 0;
      for (Index k = 0; k < p.size(); ++k) {
        const double size = p[k] == 0 ? 1 : std::abs(p[k]);
        largest = std::max(largest, std::abs(directions(k, v)) / size);
      }
      directions.col(v) /= largest;
    }
    return directions;
  }

  void add_correlations() {
    std::vector<Finding> found;
    for (Index i = 0; i < in_.correlation.rows(); ++i) {
      for (Index j = i + 1; j < in_.correlation.cols(); ++j) {
        if (is_part(i) || is_part(j)) continue;  // by the constraints, whatever the data say
        const double rho = in_.correlation(i, j);
        if (!(std::abs(rho) > options_.strong_correlation)) continue;  // NaN: none
        const std::vector<int> both = {static_cast<int>(i), static_cast<int>(j)};
        Finding f{.kind = Finding::Kind::kCorrelated,
                  .parameters = {name(both[0]), name(both[1])},
                  .correlation = rho};
        f.experiments = experiments_of(both);
        f.text = fmt::format(
            "{} and {} are strongly correlated ({:.4f}): the data determine them well only "
            "together.",
            f.parameters[0], f.parameters[1], rho);
        found.push_back(std::move(f));
      }
    }
    std::stable_sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) {
      return std::abs(a.correlation) > std::abs(b.correlation);
    });
    std::move(found.begin(), found.end(), std::back_inserter(out_.findings));
  }

  InformationSource source_of(Index i) const {
    InformationSource source{.parameter = in_.names[static_cast<std::size_t>(i)], .shares = {}};
    if (in_.column_norms.rows() == 0) return source;
    const double all = in_.column_norms.col(i).squaredNorm();
    if (!(all > 0)) return source;
    for (Index e = 0; e < in_.column_norms.rows(); ++e) {
      const double norm = in_.column_norms(e, i);
      if (norm > 0) {
        source.shares.push_back({.experiment = in_.experiments[static_cast<std::size_t>(e)],
                                 .share = norm * norm / all});
      }
    }
    std::stable_sort(source.shares.begin(), source.shares.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
    return source;
  }

  const IdentifiabilityInput& in_;
  const IdentifiabilityOptions& options_;
  Identifiability out_;
};

}  // namespace

std::vector<std::string> Identifiability::smallest_fixing() const {
  std::vector<std::string> names;
  for (const Finding& f : findings) {
    if (f.kind >= Finding::Kind::kPractically) continue;
    if (f.fixings.empty()) return {};
    names.insert(names.end(), f.fixings[0].begin(), f.fixings[0].end());
  }
  return names;
}

bool Identifiability::all_determined() const {
  return std::all_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.kind >= Finding::Kind::kPractically; });
}

Identifiability diagnose(const IdentifiabilityInput& input, const IdentifiabilityOptions& options) {
  return Diagnosis(input, options).run();
}

const char* text(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kNoInfluence:
      return "no_influence";
    case Finding::Kind::kCombination:
      return "combination";
    case Finding::Kind::kPractically:
      return "practically_undetermined";
    case Finding::Kind::kCorrelated:
      return "correlated";
  }
  return "";
}

}  // namespace parfait::estimate
