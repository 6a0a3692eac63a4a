#include "callables.h"

#include <cmath>

#include "bindings.h"
#include "parfait/base/error.h"
#include "parfait/dynamics/formula_system.h"
#include "parfait/mechanism/elements/measured_force.h"
#include "parfait/mechanism/elements/registry.h"

// Functions of Python as right-hand sides and force laws. Every call takes the interpreter's lock:
// slow, for trying things out; what is fitted often is better written as a formula.
namespace parfait::python {
namespace {

using dynamics::ConstVec;
using dynamics::Directions;
using dynamics::Point;
using dynamics::PointDirections;
using dynamics::Vec;

/// A Python object that may be let go of by any thread.
using Callable = std::shared_ptr<py::object>;

Callable shared(const py::object& object) {
  if (object.is_none()) return nullptr;
  return {new py::object(object), [](py::object* held) {
            // What lives as long as the process (a registered law) outlives Python: then there is
            // no lock to wait for, and nobody to give the object back to.
            if (Py_IsInitialized() == 0) return;
            const py::gil_scoped_acquire lock;
            delete held;
          }};
}

py::array_t<double> array_of(ConstVec values) {
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// y' = f(t, y, p) with f from Python. Everything else (names, observed formulas, start values) is
/// that of an ODE whose rates are 0.
class CallableSystem final : public dynamics::System {
 public:
  CallableSystem(const dynamics::FormulaModel& model, Callable rhs, Callable jacobian)
      : inner_(dynamics::make_formula_system(model)),
        rhs_(std::move(rhs)),
        jacobian_(std::move(jacobian)) {}

  const dynamics::Sizes& sizes() const override { return inner_->sizes(); }
  const std::vector<dynamics::ParameterInfo>& parameters() const override {
    return inner_->parameters();
  }
  std::vector<std::string> state_names() const override { return inner_->state_names(); }
  std::vector<double> initial_state() const override { return inner_->initial_state(); }

  std::unique_ptr<dynamics::Workspace> make_workspace(int max_directions) const override {
    return std::make_unique<Room>(inner_->make_workspace(max_directions));
  }
  std::unique_ptr<dynamics::Workspace> make_bound_copy(const dynamics::Workspace& ws,
                                                       int max_directions) const override {
    const auto& room = dynamic_cast<const Room&>(ws);
    auto copy = std::make_unique<Room>(inner_->make_bound_copy(*room.inner, max_directions));
    copy->p = room.p;
    return copy;
  }
  void bind(dynamics::Workspace& ws, ConstVec p) const override {
    room(ws).p.assign(p.begin(), p.end());
    inner_->bind(*room(ws).inner, p);
  }
  void bind_directions(dynamics::Workspace& ws, const Directions& dp) const override {
    room(ws).dp = dp;
    inner_->bind_directions(*room(ws).inner, dp);
  }
  void start(dynamics::Workspace& ws, Vec y, Vec z) const override {
    inner_->start(*room(ws).inner, y, z);
  }
  void start_directions(dynamics::Workspace& ws, Directions& dy) const override {
    inner_->start_directions(*room(ws).inner, dy);
  }

  dynamics::Status evaluate(dynamics::Workspace& ws, const Point& at, Vec dydt,
                            Vec residual) const override {
    auto& own = room(ws);
    own.t = at.t;
    own.y.assign(at.y.begin(), at.y.end());
    inner_->evaluate(*own.inner, at, dydt, residual);
    const py::gil_scoped_acquire lock;
    const Numbers rates((*rhs_)(at.t, array_of(at.y), array_of(own.p)));
    if (rates.size() != static_cast<py::ssize_t>(dydt.size())) {
      throw base::InputError("the right-hand side gave " + std::to_string(rates.size()) +
                             " rates, expected " + std::to_string(dydt.size()) + ".");
    }
    bool finite = true;
    for (std::size_t i = 0; i < dydt.size(); ++i) {
      dydt[i] = rates.data()[i];
      finite = finite && std::isfinite(dydt[i]);
    }
    return finite ? dynamics::Status::kOk : dynamics::Status::kNotFinite;
  }

  void directions(dynamics::Workspace& ws, const PointDirections& d, Directions& ddydt,
                  Directions* /*dresidual*/) const override {
    const auto& own = room(ws);
    if (!jacobian_) {
      throw base::InputError(
          "derivatives of a right-hand side from Python are needed: give jacobian=, a function of "
          "(t, y, p) that returns df/dy and df/dp.");
    }
    const py::gil_scoped_acquire lock;
    const py::tuple blocks = (*jacobian_)(own.t, array_of(own.y), array_of(own.p));
    const Numbers by_y(blocks[0]), by_p(blocks[1]);
    const int n = inner_->sizes().ny(), np = inner_->sizes().np, k = ddydt.count();
    if (by_y.size() != n * n || by_p.size() != n * np) {
      throw base::InputError("jacobian: df/dy must be " + std::to_string(n) + " x " +
                             std::to_string(n) + " and df/dp " + std::to_string(n) + " x " +
                             std::to_string(np) + ".");
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < k; ++j) {
        double sum = 0;
        for (int m = 0; d.dy != nullptr && m < n; ++m)
          sum += by_y.data()[i * n + m] * (*d.dy)(m, j);
        for (int m = 0; own.dp.rows() == np && j < own.dp.count() && m < np; ++m) {
          sum += by_p.data()[i * np + m] * own.dp(m, j);
        }
        ddydt(i, j) = sum;
      }
    }
  }

  void invariants(dynamics::Workspace& /*ws*/, double /*t*/, ConstVec /*y*/,
                  Vec /*g*/) const override {}
  dynamics::ProjectionReport project(dynamics::Workspace& ws, double t, Vec y, dynamics::Norm norm,
                                     double tolerance) const override {
    return inner_->project(*room(ws).inner, t, y, norm, tolerance);
  }
  dynamics::Status project_directions(dynamics::Workspace& ws, Directions& dy) const override {
    return inner_->project_directions(*room(ws).inner, dy);
  }
  std::unique_ptr<Observer> make_observer(std::span<const std::string> quantities) const override {
    auto observer = inner_->make_observer(quantities);
    if (observer->needs_rates()) {
      throw base::InputError("rates of a right-hand side from Python cannot be observed.");
    }
    return observer;
  }
  dynamics::Status observe(dynamics::Workspace& ws, const Observer& observer, const Point& at,
                           Vec values) const override {
    return inner_->observe(*room(ws).inner, observer, at, values);
  }
  void observe_directions(dynamics::Workspace& ws, const Observer& observer,
                          const PointDirections& d, Directions& dvalues) const override {
    inner_->observe_directions(*room(ws).inner, observer, d, dvalues);
  }

 private:
  struct Room final : dynamics::Workspace {
    explicit Room(std::unique_ptr<dynamics::Workspace> own) : inner(std::move(own)) {}
    std::unique_ptr<dynamics::Workspace> inner;
    std::vector<double> p, y;
    double t = 0;
    Directions dp;
  };
  static Room& room(dynamics::Workspace& ws) { return dynamic_cast<Room&>(ws); }

  std::unique_ptr<dynamics::System> inner_;
  Callable rhs_, jacobian_;
};

run::Model make_ode(const py::object& rhs, const py::object& jacobian, const py::dict& states,
                    const py::dict& parameters, const std::string& name) {
  dynamics::FormulaModel model;
  for (const auto& [id, initial] : states) {
    model.state(id.cast<std::string>(), initial.cast<double>(), "0");
  }
  for (const auto& [id, value] : parameters) {
    model.parameter(id.cast<std::string>(), value.cast<double>());
  }
  auto made = run::make_model(model, {}, name);
  made.warnings.clear();  // that no formula uses the parameters
  made.system = std::make_shared<CallableSystem>(model, shared(rhs), shared(jacobian));
  return made;
}

constexpr const char* kKey = "Python_";

/// F(length, rate) along the line between two ends, from Python.
struct PythonLaw {
  Callable law, derivative;

  static unsigned use(int /*end*/) {
    return mechanism::kPoint | mechanism::kVelocity | mechanism::kForce;
  }

  template <class S>
  S force(const S& length, const S& rate) const {
    const double s = math::value_of(length), v = math::value_of(rate);
    const py::gil_scoped_acquire lock;
    const double F = (*law)(s, v).template cast<double>();
    if constexpr (std::is_same_v<S, double>) {
      return F;
    } else {
      if (!derivative) {
        throw base::InputError(
            "derivatives of a force law from Python are needed: give derivative=, a function of "
            "(length, rate) that returns dF/dlength and dF/drate.");
      }
      const auto [by_s, by_v] = (*derivative)(s, v).template cast<std::pair<double, double>>();
      return S(F) + S(by_s) * (length - S(s)) + S(by_v) * (rate - S(v));
    }
  }
  template <class S>
  static mechanism::Measured<S> measure(const mechanism::ElementPoint<S>& at) {
    using math::sqrt;
    using std::sqrt;
    const auto delta = at.ends[0].point - at.ends[1].point;
    mechanism::Measured<S> m;
    m.s = sqrt(dot(delta, delta));
    m.n = (S(1.0) / m.s) * delta;
    m.rate = dot(m.n, at.ends[0].velocity - at.ends[1].velocity);
    return m;
  }
  template <class S>
  void act(const mechanism::ElementPoint<S>& at, const mechanism::ElementForces<S>& out) const {
    const auto m = measure(at);
    const S F = force(m.s, m.rate);
    out.ends[0].force = -F * m.n;
    out.ends[1].force = F * m.n;
  }
  template <class S>
  S quantity(const mechanism::ElementPoint<S>& at, int i) const {
    const auto m = measure(at);
    return i == 0 ? m.s : i == 1 ? m.rate : force(m.s, m.rate);
  }
};

/// The key of a new force type.
std::string register_law(const py::object& law, const py::object& derivative) {
  static int count = 0;
  std::string key = kKey + std::to_string(++count);
  const PythonLaw written{shared(law), shared(derivative)};
  mechanism::ForceType type;
  type.key = key;
  type.summary = "a function of Python along the line between the two origins";
  type.quantities = {{"length", "m", "distance of the ends"},
                     {"rate", "m/s", "rate of the length"},
                     {"force", "N", "F; a positive one pulls the ends together"}};
  type.make = [written](const mechanism::Force&) {
    return std::make_unique<mechanism::WrittenForce<PythonLaw>>(written);
  };
  mechanism::registry().add(std::move(type));
  return key;
}

}  // namespace

std::string python_part(const run::Model& model) {
  if (dynamic_cast<const CallableSystem*>(model.system.get()) != nullptr) return "right-hand side";
  const auto* description = std::get_if<mechanism::Description>(model.source.get());
  if (description == nullptr) return "";
  for (const auto& force : description->forces) {
    if (force.key.starts_with(kKey)) return "force \"" + force.id + "\"";
  }
  return "";
}

void bind_callables(py::module_& module) {
  module.def("make_ode", make_ode);
  module.def("register_law", register_law);
}

}  // namespace parfait::python
