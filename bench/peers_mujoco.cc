#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "engine.h"
#include "parfait/base/error.h"

namespace parfait::bench {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

Vector3d vector3(const mechanism::Number3& x) {
  return {x[0], x[1], x[2]};
}

Vector3d vector3(const mechanism::Value3& x) {
  return {x[0].number, x[1].number, x[2].number};
}

Matrix3d axes_of(const mechanism::Frame& frame) {
  return (Matrix3d() << vector3(frame.x), vector3(frame.y), vector3(frame.z)).finished();
}

Matrix3d axes_of(const mechanism::Body& body) {
  return (Matrix3d() << vector3(body.x), vector3(body.y), vector3(body.z)).finished();
}

std::string text(const Vector3d& x) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", x[0], x[1], x[2]);
}

std::string text(const Quaterniond& q) {
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w(), q.x(), q.y(), q.z());
}

/// A body with the joint that carries it. MuJoCo's reference position is the one in which the two
/// markers of every joint coincide; X_parent * R0 are then the axes of the body.
struct Link {
  const mechanism::Joint* joint = nullptr;  ///< null: free
  int parent = -1;
  Matrix3d R0 = Matrix3d::Identity();
  std::vector<int> children;
};

std::vector<Link> links_of(const mechanism::Description& description) {
  std::map<std::string, int> index{{mechanism::kInertial, -1}};
  std::map<std::string, const mechanism::Joint*> carrier;
  for (const auto& joint : description.joints) carrier[joint.end.body] = &joint;
  std::vector<Link> links;
  for (const auto& body : description.bodies) {
    Link link;
    link.joint = carrier[body.id];
    if (link.joint) {
      link.parent = index.at(link.joint->begin.body);
      link.R0 = axes_of(link.joint->begin.frame) * axes_of(link.joint->end.frame).transpose();
    }
    const int i = static_cast<int>(links.size());
    index[body.id] = i;
    links.push_back(link);
    if (link.parent >= 0) links[link.parent].children.push_back(i);
  }
  return links;
}

std::string joint_xml(const mechanism::Joint* joint) {
  if (!joint) return "<freejoint/>";
  const Vector3d at = vector3(joint->end.frame.o);
  const Matrix3d axes = axes_of(joint->end.frame);
  const auto hinge = [&](int column) {
    return fmt::format("<joint type=\"hinge\" pos=\"{}\" axis=\"{}\"/>", text(at),
                       text(Vector3d(axes.col(column))));
  };
  if (joint->key == "Revolute") return hinge(2);
  if (joint->key == "Universal") return hinge(0) + hinge(1);
  if (joint->key == "Spherical") return fmt::format("<joint type=\"ball\" pos=\"{}\"/>", text(at));
  throw base::InputError("joint \"" + joint->id + "\": no MuJoCo joint for key \"" + joint->key +
                         "\".");
}

std::string body_xml(const mechanism::Description& description, const std::vector<Link>& links,
                     int i) {
  const mechanism::Body& body = description.bodies[i];
  const Link& link = links[i];
  Vector3d at = Vector3d::Zero();
  if (link.joint) {
    at = vector3(link.joint->begin.frame.o) - link.R0 * vector3(link.joint->end.frame.o);
  }
  const auto& I = body.inertia;
  std::string xml = fmt::format(
      "<body name=\"{}\" pos=\"{}\" quat=\"{}\">{}<inertial pos=\"{}\" mass=\"{:.17g}\" "
      "fullinertia=\"{:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g}\"/>\n",
      body.id, text(at), text(Quaterniond(link.R0)), joint_xml(link.joint),
      text(vector3(body.center_of_mass)), body.mass.number, I[0][0].number, I[1][1].number,
      I[2][2].number, I[0][1].number, I[0][2].number, I[1][2].number);
  for (const int child : link.children) xml += body_xml(description, links, child);
  return xml + "</body>\n";
}

std::string model_xml(const mechanism::Description& description, const std::vector<Link>& links) {
  std::string bodies;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i].parent < 0) bodies += body_xml(description, links, static_cast<int>(i));
  }
  // Armature, damping and friction of joints are zero unless given.
  return fmt::format(
      "<mujoco><compiler angle=\"radian\" coordinate=\"local\" inertiafromgeom=\"false\"/>"
      "<option gravity=\"0 0 {:.17g}\"><flag constraint=\"disable\" equality=\"disable\" "
      "frictionloss=\"disable\" limit=\"disable\" contact=\"disable\" passive=\"disable\" "
      "warmstart=\"disable\" actuation=\"disable\" sensor=\"disable\" "
      "clampctrl=\"disable\"/></option>"
      "<worldbody>{}</worldbody></mujoco>",
      description.forces.at(0).constants.at(0).value.number, bodies);
}

struct Free {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

mjModel* load(const std::string& xml) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(xml.size())) != 0) {
    throw base::InputError("MuJoCo: the model text does not fit into its virtual file system.");
  }
  std::memcpy(files->filedata[0], xml.data(), xml.size());
  char error[1000] = "";
  mjModel* model = mj_loadXML("model.xml", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (!model) throw base::InputError(std::string("MuJoCo: ") + error);
  return model;
}

class MujocoEngine final : public Engine {
 public:
  MujocoEngine(const mechanism::Description& description, MujocoPath path)
      : path_(path),
        links_(links_of(description)),
        model_(load(model_xml(description, links_))),
        data_(mj_makeData(model_.get())) {
    for (const auto& body : description.bodies) {
      body_ids_.push_back(mj_name2id(model_.get(), mjOBJ_BODY, body.id.c_str()));
    }
  }

  std::string name() const override {
    return path_ == MujocoPath::kStages ? "MuJoCo" : "MuJoCo mj_forward";
  }
  std::string version() const override { return mj_versionString(); }
  std::string method() const override {
    return path_ == MujocoPath::kStages ? "mj_kinematics, comPos, crb, factorM, comVel, rne, solveM"
                                        : "mj_forward, everything but gravity disabled";
  }

  void add_state(const mechanism::Description& description) override {
    std::vector<double> q(model_->nq), v(model_->nv);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      fit(description, i, &q[qpos_address(i)], &v[dof_address(i)]);
    }
    q_.push_back(q);
    v_.push_back(v);
    check_state(description);
  }

  void compute_accelerations(int state) override {
    const mjModel* m = model_.get();
    mjData* d = data_.get();
    std::copy(q_[state].begin(), q_[state].end(), d->qpos);
    std::copy(v_[state].begin(), v_[state].end(), d->qvel);
    if (path_ == MujocoPath::kForward) {
      mj_forward(m, d);
      return;
    }
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_crb(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    for (int i = 0; i < m->nv; ++i) d->qfrc_smooth[i] = -d->qfrc_bias[i];
    mj_solveM(m, d, d->qacc, d->qfrc_smooth, 1);
  }

  Accelerations accelerations() override {
    mj_rnePostConstraint(model_.get(), data_.get());  // body accelerations from qacc
    Accelerations out;
    for (const int id : body_ids_) {
      double a[6];
      mj_objectAcceleration(model_.get(), data_.get(), mjOBJ_BODY, id, a, 0);
      // MuJoCo's world accelerates upwards instead of having weights.
      const double* g = model_->opt.gravity;
      out.center.push_back({a[3] + g[0], a[4] + g[1], a[5] + g[2]});
      out.angular.push_back({a[0], a[1], a[2]});
    }
    return out;
  }

 private:
  int qpos_address(std::size_t i) const {
    return model_->jnt_qposadr[model_->body_jntadr[body_ids_[i]]];
  }
  int dof_address(std::size_t i) const {
    return model_->jnt_dofadr[model_->body_jntadr[body_ids_[i]]];
  }

  /// Coordinates and velocities of the joint that carries body i.
  void fit(const mechanism::Description& description, std::size_t i, double* q, double* v) const {
    const mechanism::Body& body = description.bodies[i];
    const Link& link = links_[i];
    const Matrix3d X = axes_of(body);
    Matrix3d X_parent = Matrix3d::Identity();
    Vector3d omega = vector3(body.omega.value());
    if (link.parent >= 0) {
      X_parent = axes_of(description.bodies[link.parent]);
      omega -= vector3(description.bodies[link.parent].omega.value());
    }
    const auto put = [](const Vector3d& x, double* at) { std::copy_n(x.data(), 3, at); };
    const auto put_rotation = [&](const Matrix3d& R, double* at) {
      const Quaterniond quaternion(R);
      at[0] = quaternion.w();
      put(quaternion.vec(), at + 1);
    };
    if (!link.joint) {
      put(vector3(body.o), q);
      put_rotation(X, q + 3);
      put(vector3(body.v.value()), v);
      put(X.transpose() * omega, v + 3);  // in axes of the body
      return;
    }
    if (link.joint->key == "Spherical") {
      put_rotation(link.R0.transpose() * X_parent.transpose() * X, q);
      put(X.transpose() * omega, v);
      return;
    }
    const Matrix3d begin = X_parent * axes_of(link.joint->begin.frame);
    const Matrix3d end = X * axes_of(link.joint->end.frame);
    const Matrix3d R = begin.transpose() * end;
    if (link.joint->key == "Revolute") {
      q[0] = std::atan2(R(1, 0), R(0, 0));
      v[0] = begin.col(2).dot(omega);
      return;
    }
    // Universal: R = Rx(q0) Ry(q1), omega = x_begin v0 + y_end v1, and the two axes are normal.
    q[0] = std::atan2(R(2, 1), R(1, 1));
    q[1] = std::atan2(R(0, 2), R(0, 0));
    v[0] = begin.col(0).dot(omega);
    v[1] = end.col(1).dot(omega);
  }

  void check_state(const mechanism::Description& description) {
    compute_accelerations(static_cast<int>(q_.size()) - 1);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const mechanism::Body& body = description.bodies[i];
      double velocity[6];
      mj_objectVelocity(model_.get(), data_.get(), mjOBJ_XBODY, body_ids_[i], velocity, 0);
      const Vector3d o = Eigen::Map<const Vector3d>(data_->xpos + 3 * body_ids_[i]);
      const double reach = 1 + o.norm();
      const double error =
          std::max({(o - vector3(body.o)).norm() / reach,
                    (Eigen::Map<Vector3d>(velocity) - vector3(body.omega.value())).norm() / reach,
                    (Eigen::Map<Vector3d>(velocity + 3) - vector3(body.v.value())).norm() / reach});
      if (!(error < 1e-11)) {
        throw base::InputError(
            fmt::format("MuJoCo: state of body \"{}\" is off by {:.1e}.", body.id, error));
      }
    }
  }

  MujocoPath path_;
  std::vector<Link> links_;
  std::unique_ptr<mjModel, Free> model_;
  std::unique_ptr<mjData, Free> data_;
  std::vector<int> body_ids_;
  std::vector<std::vector<double>> q_, v_;
};

}  // namespace

std::unique_ptr<Engine> make_mujoco(const mechanism::Description& description, MujocoPath path) {
  return std::make_unique<MujocoEngine>(description, path);
}

}  // namespace parfait::bench
