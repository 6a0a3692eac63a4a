#include <Simbody.h>

#include <chrono>
#include <map>

#include "engine.h"
#include "parfait/base/error.h"

#ifdef NDEBUG
#error "Simbody's Debian binaries were built without NDEBUG and its class layouts depend on it."
#endif

namespace parfait::bench {
namespace {

using SimTK::Vec3;

Vec3 vec3(const mechanism::Number3& x) {
  return {x[0], x[1], x[2]};
}

Vec3 vec3(const mechanism::Value3& x) {
  return {x[0].number, x[1].number, x[2].number};
}

SimTK::Rotation rotation(const Vec3& x, const Vec3& y, const Vec3& z) {
  SimTK::Mat33 axes;
  axes.col(0) = x;
  axes.col(1) = y;
  axes.col(2) = z;
  return SimTK::Rotation(axes, true);  // columns are orthonormal: taken as they are
}

SimTK::Transform marker_frame(const mechanism::Marker& marker) {
  const mechanism::Frame& frame = marker.frame;
  return {rotation(vec3(frame.x), vec3(frame.y), vec3(frame.z)), vec3(frame.o)};
}

SimTK::Transform world_frame(const mechanism::Body& body) {
  return {rotation(vec3(body.x), vec3(body.y), vec3(body.z)), vec3(body.o)};
}

SimTK::MassProperties mass_properties(const mechanism::Body& body) {
  const double mass = body.mass.number;
  const Vec3 center = vec3(body.center_of_mass);
  SimTK::SymMat33 inertia;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) inertia(i, j) = body.inertia[i][j].number;
  }
  // Simbody wants the tensor about the body's origin.
  return {mass, center, SimTK::Inertia(inertia).shiftFromMassCenter(-center, mass)};
}

class SimbodyEngine final : public Engine {
 public:
  explicit SimbodyEngine(const mechanism::Description& description)
      : matter_(system_), forces_(system_) {
    for (const auto& force : description.forces) {
      SimTK::Force::UniformGravity(forces_, matter_,
                                   Vec3(0, 0, force.constants.at(0).value.number));
    }
    std::map<std::string, const mechanism::Joint*> carrier;
    for (const auto& joint : description.joints) carrier[joint.end.body] = &joint;
    for (const auto& body : description.bodies) add_body(body, carrier[body.id]);
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
  }

  std::string name() const override { return "Simbody"; }

  std::string version() const override {
    int major = 0, minor = 0, patch = 0;
    SimTK_version_simbody(&major, &minor, &patch);
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  }

  std::string method() const override { return "realize(Stage::Acceleration) after new Q, U"; }

  void add_state(const mechanism::Description& description) override {
    for (std::size_t i = 0; i < bodies_.size(); ++i) fit_position(description, i);
    system_.realize(state_, SimTK::Stage::Position);
    for (std::size_t i = 0; i < bodies_.size(); ++i) fit_velocity(description, i);
    system_.realize(state_, SimTK::Stage::Velocity);
    check_state(description);
    q_.push_back(state_.getQ());
    u_.push_back(state_.getU());
  }

  void compute_accelerations(int state) override {
    state_.updQ() = q_[state];  // invalidates everything from Stage::Position on
    state_.updU() = u_[state];
    system_.realize(state_, SimTK::Stage::Acceleration);
  }

  /// Simbody's own integrator from the first state added.
  Motion simulate(double until, double accuracy) {
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

  Accelerations accelerations() override {
    Accelerations out;
    for (const auto& entry : bodies_) {
      const SimTK::MobilizedBody& body = matter_.getMobilizedBody(entry.index);
      const Vec3 a =
          body.findStationAccelerationInGround(state_, body.getBodyMassCenterStation(state_));
      const Vec3 alpha = body.getBodyAngularAcceleration(state_);
      out.center.push_back({a[0], a[1], a[2]});
      out.angular.push_back({alpha[0], alpha[1], alpha[2]});
    }
    return out;
  }

 private:
  struct Entry {
    SimTK::MobilizedBodyIndex index;
    int parent;  ///< -1: the ground
  };

  void add_body(const mechanism::Body& body, const mechanism::Joint* joint) {
    const SimTK::Body::Rigid rigid(mass_properties(body));
    Entry entry{SimTK::MobilizedBodyIndex(), -1};
    if (!joint) {
      entry.index = SimTK::MobilizedBody::Free(matter_.Ground(), rigid).getMobilizedBodyIndex();
    } else {
      if (joint->begin.body != mechanism::kInertial) entry.parent = index_.at(joint->begin.body);
      SimTK::MobilizedBody& parent = entry.parent < 0
                                         ? static_cast<SimTK::MobilizedBody&>(matter_.Ground())
                                         : matter_.updMobilizedBody(bodies_[entry.parent].index);
      const SimTK::Transform begin = marker_frame(joint->begin);
      const SimTK::Transform end = marker_frame(joint->end);
      if (joint->key == "Revolute") {
        entry.index = SimTK::MobilizedBody::Pin(parent, begin, rigid, end).getMobilizedBodyIndex();
      } else if (joint->key == "Spherical") {
        entry.index = SimTK::MobilizedBody::Ball(parent, begin, rigid, end).getMobilizedBodyIndex();
      } else if (joint->key == "Universal") {
        entry.index =
            SimTK::MobilizedBody::Universal(parent, begin, rigid, end).getMobilizedBodyIndex();
      } else {
        throw base::InputError("joint \"" + joint->id + "\": no Simbody mobilizer for key \"" +
                               joint->key + "\".");
      }
    }
    index_[body.id] = static_cast<int>(bodies_.size());
    bodies_.push_back(entry);
  }

  SimTK::Transform parent_frame(const mechanism::Description& description, int parent) const {
    return parent < 0 ? SimTK::Transform() : world_frame(description.bodies[parent]);
  }

  void fit_position(const mechanism::Description& description, std::size_t i) {
    const SimTK::MobilizedBody& body = matter_.getMobilizedBody(bodies_[i].index);
    const SimTK::Transform X_GF =
        parent_frame(description, bodies_[i].parent) * body.getDefaultInboardFrame();
    const SimTK::Transform X_GM =
        world_frame(description.bodies[i]) * body.getDefaultOutboardFrame();
    body.setQToFitTransform(state_, ~X_GF * X_GM);
  }

  void fit_velocity(const mechanism::Description& description, std::size_t i) {
    const SimTK::MobilizedBody& body = matter_.getMobilizedBody(bodies_[i].index);
    const mechanism::Body& given = description.bodies[i];
    Vec3 omega = vec3(given.omega.value());
    Vec3 v(0);
    if (bodies_[i].parent >= 0) {
      omega -= vec3(description.bodies[bodies_[i].parent].omega.value());
    }
    if (body.getNumU(state_) == 6) v = vec3(given.v.value());  // only the free body translates
    const SimTK::Rotation R_GF =
        (parent_frame(description, bodies_[i].parent) * body.getDefaultInboardFrame()).R();
    body.setUToFitVelocity(state_, SimTK::SpatialVec(~R_GF * omega, ~R_GF * v));
  }

  /// Fitting is a search in general; the state must be the described one to rounding.
  void check_state(const mechanism::Description& description) const {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const SimTK::MobilizedBody& body = matter_.getMobilizedBody(bodies_[i].index);
      const mechanism::Body& given = description.bodies[i];
      const double reach = 1 + vec3(given.o).norm();
      const double error = std::max(
          {(body.getBodyOriginLocation(state_) - vec3(given.o)).norm() / reach,
           (body.getBodyAngularVelocity(state_) - vec3(given.omega.value())).norm() / reach,
           (body.getBodyOriginVelocity(state_) - vec3(given.v.value())).norm() / reach});
      if (!(error < 1e-11)) {
        throw base::InputError("Simbody: state of body \"" + given.id + "\" is off by " +
                               std::to_string(error) + ".");
      }
    }
  }

  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::State state_;
  std::vector<Entry> bodies_;
  std::map<std::string, int> index_;
  std::vector<SimTK::Vector> q_, u_;
};

}  // namespace

std::unique_ptr<Engine> make_simbody(const mechanism::Description& description) {
  return std::make_unique<SimbodyEngine>(description);
}

Motion simulate_simbody(const mechanism::Description& description, double until, double accuracy) {
  SimbodyEngine engine(description);
  engine.add_state(description);
  return engine.simulate(until, accuracy);
}

}  // namespace parfait::bench
