#include <Simbody.h>

#include <chrono>
#include <stdexcept>

#include "plain_model.h"

#ifdef NDEBUG
#error "Simbody's Debian binaries were built without NDEBUG and its class layouts depend on it."
#endif

namespace parfait::bench {
namespace {

using SimTK::Vec3;

Vec3 vec3(const Triple& x) {
  return {x[0], x[1], x[2]};
}

SimTK::Transform transform(const PlainFrame& frame) {
  SimTK::Mat33 axes;
  axes.col(0) = vec3(frame.x);
  axes.col(1) = vec3(frame.y);
  axes.col(2) = vec3(frame.z);
  // Columns are orthonormal: taken as they are.
  return {SimTK::Rotation(axes, true), vec3(frame.o)};
}

SimTK::MassProperties mass_properties(const PlainBody& body) {
  const Vec3 center = vec3(body.center);
  SimTK::SymMat33 inertia;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) inertia(i, j) = body.inertia[i][j];
  }
  // Simbody wants the tensor about the body's origin.
  return {body.mass, center, SimTK::Inertia(inertia).shiftFromMassCenter(-center, body.mass)};
}

class SimbodyTree final : public SimbodyModel {
 public:
  explicit SimbodyTree(const PlainModel& model) : matter_(system_), forces_(system_) {
    for (const double gravity : model.gravity) {
      SimTK::Force::UniformGravity(forces_, matter_, Vec3(0, 0, gravity));
    }
    for (const PlainBody& body : model.bodies) add_body(body);
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
  }

  std::string version() const override {
    int major = 0, minor = 0, patch = 0;
    SimTK_version_simbody(&major, &minor, &patch);
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  }

  void add_state(const PlainModel& model) override {
    for (std::size_t i = 0; i < bodies_.size(); ++i) fit_position(model, i);
    system_.realize(state_, SimTK::Stage::Position);
    for (std::size_t i = 0; i < bodies_.size(); ++i) fit_velocity(model, i);
    system_.realize(state_, SimTK::Stage::Velocity);
    check_state(model);
    q_.push_back(state_.getQ());
    u_.push_back(state_.getU());
  }

  void compute_accelerations(int state) override {
    state_.updQ() = q_[state];  // invalidates everything from Stage::Position on
    state_.updU() = u_[state];
    system_.realize(state_, SimTK::Stage::Acceleration);
  }

  Motion simulate(double until, double accuracy) override {
    SimTK::State initial = state_;
    initial.updQ() = q_.front();
    initial.updU() = u_.front();
    SimTK::RungeKuttaMersonIntegrator integrator(system_);
    integrator.setAccuracy(accuracy);
    SimTK::TimeStepper stepper(system_, integrator);
    stepper.setReportAllSignificantStates(false);
    const auto begin = std::chrono::steady_clock::now();
    stepper.initialize(initial);
    stepper.stepTo(until);
    Motion motion;
    motion.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    motion.steps = integrator.getNumStepsTaken();
    motion.evaluations = integrator.getNumRealizations();
    for (const auto& entry : bodies_) {
      const SimTK::MobilizedBody& body = matter_.getMobilizedBody(entry.index);
      const Vec3 c = body.findMassCenterLocationInGround(integrator.getState());
      motion.center.push_back({c[0], c[1], c[2]});
    }
    return motion;
  }

  void accelerations(std::vector<Triple>& center, std::vector<Triple>& angular) override {
    for (const auto& entry : bodies_) {
      const SimTK::MobilizedBody& body = matter_.getMobilizedBody(entry.index);
      const Vec3 a =
          body.findStationAccelerationInGround(state_, body.getBodyMassCenterStation(state_));
      const Vec3 alpha = body.getBodyAngularAcceleration(state_);
      center.push_back({a[0], a[1], a[2]});
      angular.push_back({alpha[0], alpha[1], alpha[2]});
    }
  }

 private:
  struct Entry {
    SimTK::MobilizedBodyIndex index;
    int parent;  ///< -1: the ground
  };

  void add_body(const PlainBody& body) {
    const SimTK::Body::Rigid rigid(mass_properties(body));
    Entry entry{SimTK::MobilizedBodyIndex(), body.parent};
    SimTK::MobilizedBody& parent = entry.parent < 0
                                       ? static_cast<SimTK::MobilizedBody&>(matter_.Ground())
                                       : matter_.updMobilizedBody(bodies_[entry.parent].index);
    const SimTK::Transform begin = transform(body.begin);
    const SimTK::Transform end = transform(body.end);
    if (body.joint_id.empty()) {
      entry.index = SimTK::MobilizedBody::Free(parent, rigid).getMobilizedBodyIndex();
    } else if (body.joint_key == "Revolute") {
      entry.index = SimTK::MobilizedBody::Pin(parent, begin, rigid, end).getMobilizedBodyIndex();
    } else if (body.joint_key == "Spherical") {
      entry.index = SimTK::MobilizedBody::Ball(parent, begin, rigid, end).getMobilizedBodyIndex();
    } else if (body.joint_key == "Universal") {
      entry.index =
          SimTK::MobilizedBody::Universal(parent, begin, rigid, end).getMobilizedBodyIndex();
    } else {
      throw std::runtime_error("joint \"" + body.joint_id + "\": no Simbody mobilizer for key \"" +
                               body.joint_key + "\".");
    }
    bodies_.push_back(entry);
  }

  SimTK::Transform parent_frame(const PlainModel& model, int parent) const {
    return parent < 0 ? SimTK::Transform() : transform(model.bodies[parent].place);
  }

  void fit_position(const PlainModel& model, std::size_t i) {
    const SimTK::MobilizedBody& body = matter_.getMobilizedBody(bodies_[i].index);
    const SimTK::Transform X_GF =
        parent_frame(model, bodies_[i].parent) * body.getDefaultInboardFrame();
    const SimTK::Transform X_GM = transform(model.bodies[i].place) * body.getDefaultOutboardFrame();
    body.setQToFitTransform(state_, ~X_GF * X_GM);
  }

  void fit_velocity(const PlainModel& model, std::size_t i) {
    const SimTK::MobilizedBody& body = matter_.getMobilizedBody(bodies_[i].index);
    const PlainBody& given = model.bodies[i];
    Vec3 omega = vec3(given.omega);
    Vec3 v(0);
    if (bodies_[i].parent >= 0) omega -= vec3(model.bodies[bodies_[i].parent].omega);
    if (body.getNumU(state_) == 6) v = vec3(given.v);  // only the free body translates
    const SimTK::Rotation R_GF =
        (parent_frame(model, bodies_[i].parent) * body.getDefaultInboardFrame()).R();
    body.setUToFitVelocity(state_, SimTK::SpatialVec(~R_GF * omega, ~R_GF * v));
  }

  /// Fitting is a search in general; the state must be the described one to rounding.
  void check_state(const PlainModel& model) const {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const SimTK::MobilizedBody& body = matter_.getMobilizedBody(bodies_[i].index);
      const PlainBody& given = model.bodies[i];
      const double reach = 1 + vec3(given.place.o).norm();
      const double error =
          std::max({(body.getBodyOriginLocation(state_) - vec3(given.place.o)).norm() / reach,
                    (body.getBodyAngularVelocity(state_) - vec3(given.omega)).norm() / reach,
                    (body.getBodyOriginVelocity(state_) - vec3(given.v)).norm() / reach});
      if (!(error < 1e-11)) {
        throw std::runtime_error("Simbody: state of body \"" + given.id + "\" is off by " +
                                 std::to_string(error) + ".");
      }
    }
  }

  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::State state_;
  std::vector<Entry> bodies_;
  std::vector<SimTK::Vector> q_, u_;
};

}  // namespace

std::unique_ptr<SimbodyModel> make_simbody_model(const PlainModel& model) {
  return std::make_unique<SimbodyTree>(model);
}

}  // namespace parfait::bench
