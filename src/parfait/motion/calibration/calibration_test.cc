#include "parfait/motion/calibration/calibration.h"

#include <gtest/gtest.h>

#include <tbb/global_control.h>
#include <Eigen/LU>

#include <cmath>
#include <numeric>
#include <random>

#include "parfait/base/error.h"
#include "parfait/estimate/experiment/ensemble.h"
#include "parfait/motion/calibration/advice.h"
#include "parfait/motion/poses/test_skeletons.h"

namespace parfait::motion::calibration_test {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

std::vector<GeometryParameter> all_kinds(const Skeleton& skeleton) {
  std::vector<GeometryParameter> out;
  for (int b = 0; b < skeleton.tree.num_bodies(); ++b) {
    for (const auto kind :
         {GeometryKind::kScale, GeometryKind::kParentPlace, GeometryKind::kChildPlace,
          GeometryKind::kParentTurn, GeometryKind::kChildTurn}) {
      for (int k = 0; k < 3; ++k) {
        GeometryParameter p;
        p.name = "p" + std::to_string(out.size());
        p.terms.push_back({kind, b, k, 1});
        out.push_back(p);
      }
    }
  }
  // Two numbers that follow one parameter, one of them mirrored.
  GeometryParameter tied;
  tied.name = "tied";
  tied.terms = {{GeometryKind::kMarker, 0, 2, 1}, {GeometryKind::kMarker, 1, 2, -1}};
  out.push_back(tied);
  return out;
}

TEST(Calibration, ColumnsOfTheGeometryAreThoseOfDifferences) {
  const Skeleton skeleton = make_walker();
  const auto parameters = all_kinds(skeleton);
  VectorXd p(static_cast<Index>(parameters.size()));
  for (Index i = 0; i < p.size(); ++i) {
    Geometry described(skeleton);
    const auto& term = parameters[static_cast<std::size_t>(i)].terms[0];
    p[i] = number_of(described, term.kind, term.index, term.axis) +
           0.03 * std::sin(1.7 * static_cast<double>(i) + 0.4);
  }
  const auto q = walking_pose(skeleton, 0.8);
  const auto places = [&](const VectorXd& at) {
    BoundGeometry bound;
    bind(skeleton, geometry_at(skeleton, parameters, at), bound);
    return marker_places(skeleton, bound, q);
  };
  const MarkerPlan marker_plan(skeleton);
  const GeometryPlan plan(skeleton, parameters);
  MarkerKinematics kinematics(skeleton, marker_plan);
  const Geometry geometry = geometry_at(skeleton, parameters, p);
  BoundGeometry bound;
  bind(skeleton, geometry, bound);
  kinematics.bind(bound);
  kinematics.place(q);
  GeometryColumns columns(skeleton, plan);
  columns.compute(kinematics, geometry, bound);
  int num_moving = 0;
  for (Index i = 0; i < p.size(); ++i) {
    VectorXd plus = p, minus = p;
    plus[i] += 1e-6;
    minus[i] -= 1e-6;
    const auto a = places(plus), b = places(minus);
    for (int m = 0; m < skeleton.num_markers(); ++m) {
      const auto& own = plan.markers[static_cast<std::size_t>(m)].parameters;
      const auto found = std::find(own.begin(), own.end(), static_cast<int>(i));
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t at = 3 * static_cast<std::size_t>(m) + k;
        const double fd = (a[at] - b[at]) / 2e-6;
        const double exact =
            found == own.end()
                ? 0
                : columns.rows(m)[k * own.size() + static_cast<std::size_t>(found - own.begin())];
        ASSERT_NEAR(exact, fd, 2e-9) << "parameter " << i << " marker " << m << " axis " << k;
        num_moving += std::abs(fd) > 1e-3;
      }
    }
  }
  EXPECT_GT(num_moving, 1000);
}

/// A trial of the walker with another geometry than the described one.
struct Subject {
  explicit Subject(double sigma, int frames = 40, unsigned seed = 5, bool draw = false)
      : skeleton(make_walker()) {
    options.sigma = std::max(sigma, 1e-4);
    options.scale_sd = 0.05;
    options.anatomical_sd = 0.01;
    options.tracking_sd = 0.02;
    options.tolerance = 1e-6;
    parameters = make_parameters(skeleton, options);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    truth.resize(static_cast<Index>(parameters.size()));
    for (Index i = 0; i < truth.size(); ++i) {
      const auto& parameter = parameters[static_cast<std::size_t>(i)];
      truth[i] = parameter.prior_mean + parameter.prior_sd * normal(random) * (draw ? 1 : 0.5);
    }
    bind(skeleton, geometry_at(skeleton, parameters, truth), bound);
    data = walking_data(skeleton, bound, frames, 0, seed + 1);
  }
  void add_noise(double sigma, double tau_frames, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const std::size_t stride = 3 * data.labels.size();
    const double keep = tau_frames > 0 ? std::exp(-1 / tau_frames) : 0;
    std::vector<double> state(stride);
    for (std::size_t i = 0; i < data.xyz.size(); ++i) {
      double& e = state[i % stride];
      e = i < stride ? normal(random) : keep * e + std::sqrt(1 - keep * keep) * normal(random);
      data.xyz[i] += sigma * e;
    }
  }
  CalibrationResult calibrate(int every = 1) const {
    return motion::calibrate(skeleton, {{"walk", match_markers(skeleton, data), data.t, every}},
                             std::vector<double>(skeleton.markers.size(), 1.0), options);
  }

  Skeleton skeleton;
  CalibrationOptions options;
  std::vector<GeometryParameter> parameters;
  VectorXd truth;
  BoundGeometry bound;
  MarkerData data;
};

TEST(Calibration, InformationAndGradientAreDerivativesOfTheObjective) {
  Subject subject(0.002, 12);
  subject.add_noise(1e-5, 0, 3);  // almost none: the second derivative is the information
  const auto model = std::make_shared<const CalibrationModel>(subject.skeleton, subject.parameters);
  const auto markers = match_markers(subject.skeleton, subject.data);
  std::vector<int> frames(12);
  std::vector<std::vector<double>> start;
  for (int f = 0; f < 12; ++f) {
    frames[static_cast<std::size_t>(f)] = f;
    start.push_back(walking_pose(subject.skeleton, 0.06 * f));
  }
  MarkerTrial::Options options;
  options.sigma = 0.002;
  options.poses.tolerance = 1e-11;
  MarkerTrial trial("walk", model, markers, frames,
                    std::vector<double>(subject.skeleton.markers.size(), 1.0), start, options);
  const auto& unknowns = model->unknowns;
  VectorXd x(subject.truth.size());
  for (int i = 0; i < x.size(); ++i) x[i] = unknowns.x_of(i, subject.truth[i]);
  ASSERT_TRUE(trial.linearize(VectorXd(0), x));
  const estimate::Block block = trial.block();
  const VectorXd gradient = block.B.transpose() * block.right.b;
  const Eigen::MatrixXd information = block.B.transpose() * block.B;
  EXPECT_NEAR(block.right.b.squaredNorm(), trial.residuals().squaredNorm(),
              1e-9 * trial.residuals().squaredNorm());
  for (const Index i : {Index{0}, Index{4}, Index{7}, Index{15}, Index{30}, x.size() - 1}) {
    VectorXd plus = x, minus = x;
    plus[i] += 1e-4;
    minus[i] -= 1e-4;
    ASSERT_TRUE(trial.evaluate(VectorXd(0), plus));
    const double a = trial.residuals().squaredNorm();
    const VectorXd right_plus = block.B.transpose() * trial.right_side().b;
    ASSERT_TRUE(trial.evaluate(VectorXd(0), minus));
    const double b = trial.residuals().squaredNorm();
    const VectorXd right_minus = block.B.transpose() * trial.right_side().b;
    // Half the derivative of |r|^2, and of J^T r with J as it was.
    EXPECT_NEAR((a - b) / 4e-4, gradient[i], 1e-5 * (1 + std::abs(gradient[i])));
    const VectorXd second = (right_plus - right_minus) / 2e-4;
    EXPECT_LT((second - information.col(i)).norm(), 2e-3 * information.col(i).norm());
  }
}

TEST(Calibration, ExactMarkersGiveTheGeometryBackWhereTheyTellIt) {
  const Subject subject(0, 60);
  const auto result = subject.calibrate(2);
  ASSERT_TRUE(result.iteration.converged());
  EXPECT_LE(result.iteration.iterations, 15);
  EXPECT_LT(result.rms, 2e-5);
  // The thigh and the shank between two joints with one and three axes are told by motion alone.
  const auto truth = geometry_lengths(
      *result.model, geometry_at(subject.skeleton, subject.parameters, subject.truth));
  int num_checked = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!truth[i].name.starts_with("femur")) continue;
    EXPECT_NEAR(result.lengths[i].value, truth[i].value, 1e-4) << truth[i].name;
    EXPECT_LT(result.lengths[i].sd, 1e-3);
    ++num_checked;
  }
  EXPECT_GE(num_checked, 2);
  EXPECT_FALSE(result.undetermined.empty());
}

/// Without priors and noise: what markers tell is found to rounding, however many directions of the
/// geometry they leave open.
TEST(Calibration, WithoutPriorsAndNoiseWhatMarkersTellIsExact) {
  constexpr int kFrames = 40;
  const Subject subject(0, kFrames);
  auto parameters = subject.parameters;
  for (auto& parameter : parameters) parameter.prior_sd = 0;
  const auto model = std::make_shared<const CalibrationModel>(subject.skeleton, parameters);
  std::vector<int> frames(kFrames);
  std::iota(frames.begin(), frames.end(), 0);
  const std::vector<double> weights(subject.skeleton.markers.size(), 1.0);
  BoundGeometry described;
  bind(subject.skeleton, Geometry(subject.skeleton), described);
  const auto markers = match_markers(subject.skeleton, subject.data);
  const auto found = solve_poses(subject.skeleton, described, markers, weights, {});
  std::vector<std::vector<double>> start;
  for (int f = 0; f < kFrames; ++f) {
    const auto q = found.pose(f, subject.skeleton.tree.nq);
    start.emplace_back(q.begin(), q.end());
  }
  PoseOptions poses;
  poses.unseen = 1e-10;
  poses.tolerance = 1e-11;
  std::vector<std::unique_ptr<estimate::Experiment>> trials;
  trials.push_back(
      std::make_unique<MarkerTrial>("walk", model, markers, frames, weights, start,
                                    MarkerTrial::Options{.sigma = 0.002, .poses = poses}));
  estimate::Team team;
  estimate::Ensemble ensemble(model->unknowns, {}, std::move(trials), {}, team);
  VectorXd x;
  ASSERT_TRUE(ensemble.initialize(x));
  const auto result = estimate::gauss_newton(
      ensemble, x,
      {.convergence = estimate::Convergence::kIncrement, .tolerance = 1e-7, .max_iterations = 30});
  EXPECT_TRUE(result.converged()) << result.message;
  EXPECT_LE(result.iterations, 10);
  EXPECT_LT(result.history.back().rank, result.history.back().num_free);
  const auto lengths = geometry_lengths(
      *model, geometry_at(subject.skeleton, parameters, model->unknowns.values(result.x)));
  const auto truth =
      geometry_lengths(*model, geometry_at(subject.skeleton, subject.parameters, subject.truth));
  int num_checked = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!truth[i].name.starts_with("femur")) continue;
    EXPECT_NEAR(lengths[i].value, truth[i].value, 1e-8) << truth[i].name;
    ++num_checked;
  }
  EXPECT_GE(num_checked, 2);
}

TEST(Calibration, LengthsHaveTheGradientsOfDifferences) {
  const Subject subject(0.002, 2);
  CalibrationOptions options = subject.options;
  options.free_joints = true;
  const CalibrationModel model(subject.skeleton, make_parameters(subject.skeleton, options));
  VectorXd p(static_cast<Index>(model.parameters.size()));
  for (Index i = 0; i < p.size(); ++i) p[i] = model.parameters[static_cast<std::size_t>(i)].initial;
  const auto lengths = geometry_lengths(model, geometry_at(model.skeleton, model.parameters, p));
  ASSERT_GE(lengths.size(), 5U);
  for (Index i = 0; i < p.size(); ++i) {
    VectorXd plus = p, minus = p;
    plus[i] += 1e-6;
    minus[i] -= 1e-6;
    const auto a = geometry_lengths(model, geometry_at(model.skeleton, model.parameters, plus));
    const auto b = geometry_lengths(model, geometry_at(model.skeleton, model.parameters, minus));
    for (std::size_t l = 0; l < lengths.size(); ++l) {
      EXPECT_NEAR(lengths[l].gradient[i], (a[l].value - b[l].value) / 2e-6, 1e-8);
    }
  }
}

/// Share of 95 % intervals of lengths that cover the truth, over replicates, and of naive ones.
std::pair<double, double> coverage(double sigma, double tau, int frames, int replicates) {
  int covered = 0, naive = 0, count = 0;
  for (int k = 0; k < replicates; ++k) {
    Subject subject(sigma, frames, 100 + static_cast<unsigned>(k), true);
    subject.add_noise(sigma, tau, 900 + static_cast<unsigned>(k));
    const auto result = subject.calibrate();
    const auto truth = geometry_lengths(
        *result.model, geometry_at(subject.skeleton, subject.parameters, subject.truth));
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const double error = std::abs(result.lengths[i].value - truth[i].value);
      ++count;
      covered += error < 1.96 * result.lengths[i].sd;
      naive += error < 1.96 * result.lengths[i].naive_sd;
    }
  }
  return {static_cast<double>(covered) / count, static_cast<double>(naive) / count};
}

TEST(Calibration, IntervalsCoverTheTruthUnderIndependentErrors) {
  const auto [covered, naive] = coverage(0.002, 0, 20, 16);
  EXPECT_GT(covered, 0.92);
  EXPECT_LT(covered, 0.985);
  EXPECT_GT(naive, 0.91);
}

TEST(Calibration, IntervalsCoverTheTruthUnderErrorsThatLast) {
  // 0.2 s at 100 frames per second.
  const auto [covered, naive] = coverage(0.003, 20, 100, 8);
  EXPECT_GT(covered, 0.88);
  EXPECT_LT(naive, covered - 0.1);
}

TEST(Calibration, BitsDoNotDependOnTheNumberOfThreads) {
  Subject subject(0.003, 60);
  subject.add_noise(0.003, 5, 8);
  const auto run = [&](std::size_t threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    return subject.calibrate();
  };
  const auto one = run(1), four = run(4);
  EXPECT_EQ((one.p - four.p).cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ((one.covariance - four.covariance).cwiseAbs().maxCoeff(), 0);
}

TEST(Calibration, WithoutPriorsItSaysWhatMarkersDoNotTell) {
  Subject subject(0.002, 40);
  subject.add_noise(0.002, 0, 4);
  subject.options.priors = false;
  subject.options.free_scales = true;
  const auto result = subject.calibrate();
  EXPECT_GT(result.num_undetermined, 0);
  EXPECT_EQ(static_cast<std::size_t>(result.num_undetermined), result.undetermined.size());
  int infinite = 0;
  for (const auto& parameter : result.parameters) infinite += std::isinf(parameter.sd);
  EXPECT_GT(infinite, 0);
}

TEST(Calibration, APriorThatNamesNothingIsRefused) {
  Subject subject(0.002, 2);
  subject.options.own_priors = {{"scale", "femor", 0.1, 0}};
  try {
    make_parameters(subject.skeleton, subject.options);
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("Did you mean \"femur\"?"), std::string::npos)
        << error.what();
  }
  subject.options.own_priors = {{"scale", "femur tibia", 0.2, 0}, {"marker", "anatomical", 0, 0}};
  const auto parameters = make_parameters(subject.skeleton, subject.options);
  EXPECT_EQ(std::count_if(parameters.begin(), parameters.end(),
                          [](const auto& p) { return p.name.starts_with("femur+tibia.scale"); }),
            3);
  for (const auto& p : parameters) EXPECT_NE(p.name, "pelvis0.x");
}

TEST(ShapePrior, DerivativesAreThoseOfDifferences) {
  const Skeleton skeleton = make_walker();
  const auto parameters = all_kinds(skeleton);
  VectorXd p(static_cast<Index>(parameters.size()));
  for (Index i = 0; i < p.size(); ++i) {
    Geometry described(skeleton);
    const auto& term = parameters[static_cast<std::size_t>(i)].terms[0];
    p[i] = number_of(described, term.kind, term.index, term.axis) +
           0.03 * std::sin(1.7 * static_cast<double>(i) + 0.4);
  }
  const int pelvis = skeleton.find_body("pelvis"), femur = skeleton.find_body("femur_r");
  std::vector<int> own;
  for (int m = 0; m < skeleton.num_markers(); ++m) {
    if (skeleton.markers[static_cast<std::size_t>(m)].body == pelvis) own.push_back(m);
  }
  ASSERT_GE(own.size(), 3U);
  using Point = ShapePrior::Point;
  const Point hip{GeometryKind::kParentPlace, femur};
  const auto marker = [&](std::size_t i) { return Point{GeometryKind::kMarker, own[i]}; };
  std::vector<ShapePrior> priors(3);
  priors[0].kind = ShapePrior::Kind::kHip;
  priors[0].points = {marker(0), marker(1), marker(2), marker(2), hip};
  priors[1].kind = ShapePrior::Kind::kMiddle;
  priors[1].points = {hip, marker(0), marker(1)};
  priors[2].kind = ShapePrior::Kind::kLength;
  priors[2].points = {{GeometryKind::kChildPlace, pelvis}, hip};
  for (auto& prior : priors) {
    prior.body = pelvis;
    Eigen::MatrixXd J;
    shape_of(prior, geometry_at(skeleton, parameters, p), &parameters, &J);
    EXPECT_GT(J.norm(), 0.5);
    for (Index i = 0; i < p.size(); ++i) {
      VectorXd plus = p, minus = p;
      plus[i] += 1e-6;
      minus[i] -= 1e-6;
      const VectorXd d = (shape_of(prior, geometry_at(skeleton, parameters, plus)) -
                          shape_of(prior, geometry_at(skeleton, parameters, minus))) /
                         2e-6;
      EXPECT_LT((d - J.col(i)).norm(), 1e-7) << i;
    }
  }
}

TEST(ShapePrior, RowsWithACovarianceAreWeightedByIt) {
  ShapePrior prior;
  prior.kind = ShapePrior::Kind::kHip;
  prior.sd = 0.1;
  const Eigen::Vector3d e(0.3, -0.2, 0.5);
  EXPECT_NEAR(prior.weighted(e).squaredNorm(), e.squaredNorm() / 0.01, 1e-12);
  Eigen::Matrix3d C;
  C << 4, 1, 0.5, 1, 3, -0.2, 0.5, -0.2, 2;
  prior.covariance = C;
  EXPECT_NEAR(prior.weighted(e).squaredNorm(), e.dot(C.inverse() * e), 1e-14);
  EXPECT_EQ(prior.sd_of(1), std::sqrt(3.0));
}

/// A pelvis with a thigh, both with markers, and a trial in which the hip moves.
struct SwingingHip {
  Skeleton skeleton = make_walker();
  int pelvis = skeleton.find_body("pelvis"), femur = skeleton.find_body("femur_r");
  MarkerData data;

  explicit SwingingHip(double noise) {
    BoundGeometry bound;
    bind(skeleton, Geometry(skeleton), bound);
    const MarkerPlan plan(skeleton);
    MarkerKinematics kinematics(skeleton, plan);
    kinematics.bind(bound);
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    for (const auto& marker : skeleton.markers) data.labels.push_back(marker.name);
    for (int f = 0; f < 400; ++f) {
      data.t.push_back(0.01 * f);
      auto q = skeleton.initial_position();
      for (std::size_t i = 0; i < q.size(); ++i) {
        q[i] +=
            0.4 * std::sin((0.03 + 0.004 * static_cast<double>(i)) * f + static_cast<double>(i));
      }
      kinematics.place(q);
      for (const auto& x : kinematics.positions()) {
        for (const double value : {x.x, x.y, x.z})
          data.xyz.push_back(value + noise * normal(random));
      }
    }
  }
};

TEST(FunctionalCentre, JointsOfTheModelAreWhereItHasThem) {
  const SwingingHip trial(0);
  std::vector<std::string> told;
  const auto centres = find_functional_centres(trial.skeleton, {{"swing", trial.data}}, {}, told);
  const auto hip = std::find_if(centres.begin(), centres.end(),
                                [&](const auto& centre) { return centre.body == trial.femur; });
  ASSERT_NE(hip, centres.end());
  EXPECT_FALSE(hip->is_hinge);
  Geometry geometry(trial.skeleton);
  EXPECT_LT(apart_from(*hip, trial.skeleton, geometry).norm(), 1e-6);
  // A joint that is elsewhere in the model is that far away.
  geometry.parent_place[static_cast<std::size_t>(hip->body)] += Vec3<double>{0.003, 0, 0.004};
  EXPECT_NEAR(apart_from(*hip, trial.skeleton, geometry).norm(), 0.005, 1e-6);
}

TEST(FunctionalCentre, BodiesAndMarkersThatAreNotThereAreRefused) {
  const SwingingHip trial(0);
  std::vector<std::string> told;
  const std::vector<FunctionalTrial> trials{{"swing", trial.data}};
  EXPECT_THROW(find_functional_centres(trial.skeleton, trials, {{"femor_r", {}}}, told),
               base::InputError);
  EXPECT_THROW(find_functional_centres(trial.skeleton, trials, {{"femur_r", {"XX"}}}, told),
               base::InputError);
}

TEST(ShapePrior, HarringtonsRegressionIsThatOfThePaper) {
  // A pelvis 227.1 mm wide and 186.2 mm deep.
  const auto hip = harrington_hip(0.2271, 0.1862);
  EXPECT_NEAR(hip[0], -0.0546, 5e-5);
  EXPECT_NEAR(hip[1], -0.0790, 5e-5);
  EXPECT_NEAR(hip[2], 0.0964, 5e-5);
}

TEST(ShapePrior, ALengthThatIsKnownIsKept) {
  Subject subject(0.002, 20);
  subject.add_noise(0.002, 0, 9);
  const auto free = subject.calibrate();
  const auto length = [](const CalibrationResult& result) {
    for (const auto& each : result.lengths) {
      if (each.name.starts_with("femur_r (to tibia_r)")) return each;
    }
    return CalibratedNumber{};
  };
  const double known = length(free).value + 0.02;
  subject.options.own_priors = {{"length", "tibia_r", 1e-5, known}};
  const auto held = subject.calibrate();
  EXPECT_NEAR(length(held).value, known, 1e-4);
  EXPECT_LT(length(held).sd, 2e-5);
  ASSERT_EQ(held.shapes.size(), 1U);
  EXPECT_EQ(held.shapes[0].prior_mean, known);
  EXPECT_NEAR(held.shapes[0].moved, (held.shapes[0].value - known) / 1e-5, 1e-9);
}

TEST(CalibrationAdvice, AFurtherTrialKeepsWhatWasPromised) {
  Subject subject(0.002, 20);
  subject.add_noise(0.002, 0, 11);
  const std::vector<double> weights(subject.skeleton.markers.size(), 1.0);
  // Half a second apart: no frame has to do with another.
  for (std::size_t f = 0; f < subject.data.t.size(); ++f) {
    subject.data.t[f] = 0.5 * static_cast<double>(f);
  }
  std::vector<CalibrationTrial> trials{
      {"walk", match_markers(subject.skeleton, subject.data), subject.data.t, 1}};
  const auto before = calibrate(subject.skeleton, trials, weights, subject.options);
  const auto advice = advise(before, trials, weights, subject.options);
  ASSERT_FALSE(advice.further.empty());
  EXPECT_TRUE(advice.adds.empty());
  const auto& best = advice.further.front();
  EXPECT_LT(best.promised_sd, 0.85 * best.sd);
  MarkerData more;
  more.labels = subject.data.labels;
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.002);
  for (std::size_t f = 0; f < best.poses.size(); ++f) {
    more.t.push_back(0.5 * static_cast<double>(f));
    for (const double x : marker_places(subject.skeleton, subject.bound, best.poses[f])) {
      more.xyz.push_back(x + noise(random));
    }
  }
  trials.push_back({"more", match_markers(subject.skeleton, more), more.t, 1});
  const auto after = calibrate(subject.skeleton, trials, weights, subject.options);
  double found = 0;
  for (const auto& length : after.lengths) {
    if (length.name == best.length) found = length.sd;
  }
  EXPECT_NEAR(found / best.promised_sd, 1, 0.2) << best.length;
  // And the report says what it was good for.
  const auto told = advise(after, trials, weights, subject.options);
  ASSERT_EQ(told.adds.size(), 2U);
  EXPECT_EQ(told.adds[1].trial, "more");
  EXPECT_GT(told.adds[1].sd_without, told.adds[1].sd);
}

TEST(Calibration, JointsThatMirrorEachOtherShareTheirNumbers) {
  Subject subject(0.002, 2);
  subject.options.free_joints = true;
  subject.options.free_scales = subject.options.free_markers = false;
  subject.options.own_priors = {
      {"turn", "*", 0, 0}, {"joint", "femur.z", 0.01, 0}, {"joint", "*", 0, 0}};
  auto parameters = make_parameters(subject.skeleton, subject.options);
  ASSERT_EQ(parameters.size(), 1U);
  EXPECT_EQ(parameters[0].name, "femur.joint.z");
  ASSERT_EQ(parameters[0].terms.size(), 2U);
  EXPECT_EQ(parameters[0].terms[0].factor, 1);
  EXPECT_EQ(parameters[0].terms[1].factor, -1);
  subject.options.symmetric = false;
  parameters = make_parameters(subject.skeleton, subject.options);
  EXPECT_EQ(parameters.size(), 2U);
}

}  // namespace
}  // namespace parfait::motion::calibration_test
