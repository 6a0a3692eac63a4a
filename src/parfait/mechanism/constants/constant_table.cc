#include "parfait/mechanism/constants/constant_table.h"

#include <algorithm>
#include <cassert>

#include "parfait/base/stop.h"
#include "parfait/math/lanes.h"
#include "parfait/mechanism/constants/body_number.h"
#include "parfait/mechanism/constants/element_constants.h"
#include "parfait/mechanism/description/general_frame.h"
#include "parfait/mechanism/description/inertia.h"

namespace parfait::mechanism {
namespace {

/// From the numbers mass, com, inertia about the centre, as they stand in the table.
Inertia<double> canonical_inertia(const Body& body, const double* constants) {
  const auto frame = GeneralFrame::of(body);
  Inertia<double> out;
  out.m = constants[0];
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) out.c[i] += frame.S[i][j] * constants[1 + j];
  }
  std::array<double, 6> Theta;
  std::copy(constants + 4, constants + 10, Theta.begin());
  out.J = second_moment(Theta);
  return out;
}

}  // namespace

void ConstantTable::add(const std::string& name, double number) {
  base::leave_if_stopped();  // large models have very many names
  if (names_.add(name).second) constants_.push_back(size());
  base_.push_back(number);
  driven_index_.push_back(-1);
}

void ConstantTable::drive(const std::string& name, const expr::Formula& formula) {
  const int constant = index(name);
  driven_index_[constant] = num_driven();
  driven_.push_back({constant, formula, gradient_size_});
  gradient_size_ += formula.num_used();
  scratch_size_ = std::max(scratch_size_, formula.scratch_size());
}

int ConstantTable::index(const std::string& name) const {
  const int number = names_.find(name);
  assert(number >= 0);
  return constants_[static_cast<std::size_t>(number)];
}

bool ConstantTable::any_driven(int first, int count) const {
  return std::any_of(driven_index_.begin() + first, driven_index_.begin() + first + count,
                     [](int d) { return d >= 0; });
}

ConstantTable::ConstantTable(const Description& d) {
  for (const auto& parameter : d.parameters) {
    parameter_ids_.push_back(parameter_name(d, parameter));
  }
  expr::Names scope(parameter_ids_);
  std::vector<std::pair<std::string, const Value*>> formulas;
  const auto value = [&](const std::string& name, const Value& v) {
    add(name, v.is_formula() ? 0.0 : v.number);
    if (v.is_formula()) formulas.emplace_back(name, &v);
  };
  const auto frame = [&](const std::string& name, const Frame& f) {
    const Value3* vectors[] = {&f.o, &f.x, &f.y, &f.z};
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 3; ++k) {
        value(name + "." + "oxyz"[i] + "." + "xyz"[k], (*vectors[i])[k]);
      }
    }
  };
  const auto typed = [&](const std::string& id, const std::vector<ConstantInfo>& infos,
                         const std::vector<NamedValue>& given, int law_constant = -1) {
    for (std::size_t i = 0; i < infos.size(); ++i) {
      const Value* v = given_value(infos, given, static_cast<int>(i));
      if (v && !(static_cast<int>(i) == law_constant && v->is_formula())) {
        value(id + "." + infos[i].name, *v);
      } else {
        add(id + "." + infos[i].name, v ? 0.0 : infos[i].fallback.value_or(0.0));
      }
    }
  };

  for (const auto& body : d.bodies) {
    value(body.id + ".mass", body.mass);
    for (int k = 0; k < 3; ++k) {
      value(body.id + ".com." + "xyz"[k], body.center_of_mass[k]);
    }
    constexpr int kRow[] = {0, 1, 2, 0, 0, 1}, kColumn[] = {0, 1, 2, 1, 2, 2};
    constexpr const char* kNames[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    for (int e = 0; e < 6; ++e) {
      const std::string constant = std::string("inertia.") + kNames[e];
      const std::string name = body.id + "." + constant;
      const Value& given = body.inertia[kRow[e]][kColumn[e]];
      // About the origin, the numbers of the description become the tensor about the centre here.
      if (const auto number = body_number(body, constant)) {
        add(name, *number);
      } else {
        value(name, given);
      }
    }
    std::array<double, 10> L{};
    cholesky_from_inertia(canonical_inertia(body, base_.data() + index(body.id + ".mass")), L);
    for (int i = 0; i < 10; ++i) add(body.id + ".cholesky." + std::to_string(i), L[i]);
    for (const auto& marker : body.markers) frame(body.id + "." + marker.id, marker.frame);
  }
  for (const auto& joint : d.joints) {
    typed(joint.id, type_constants(joint), joint.constants);
    frame(joint.id + ".begin", joint.begin.frame);
    frame(joint.id + ".end", joint.end.frame);
  }
  for (const auto& constraint : d.constraints) {
    // A formula offset may use time; the model evaluates it with its time derivatives.
    add(constraint.id + ".offset", constraint.offset.is_formula() ? 0.0 : constraint.offset.number);
    frame(constraint.id + ".begin", constraint.begin.frame);
    frame(constraint.id + ".end", constraint.end.frame);
  }
  for (const auto& force : d.forces) {
    typed(force.id, type_constants(force), force.constants, type_of(force).law_constant);
    for (const auto& end : ends_of(force)) frame(force.id + "." + end.name, end.marker->frame);
  }
  for (const auto& event : d.events) {
    typed(event.id, type_constants(event), event.constants);
    if (event.begin) frame(event.id + ".begin", event.begin->frame);
    if (event.end) frame(event.id + ".end", event.end->frame);
  }
  for (const auto& [name, v] : formulas) drive(name, expr::Formula(v->formula, scope, v->place));
  for (std::size_t i = 0; i < d.parameters.size(); ++i) {
    const auto& parameter = d.parameters[i];
    const double present =
        parameter.targets.empty()
            ? 0.0
            : base_[index(resolve_constant(d, parameter.targets.front(), parameter.place))];
    parameter_initial_.push_back(parameter.initial.value_or(present));
    for (const auto& target : parameter.targets) {
      drive(resolve_constant(d, target, parameter.place),
            expr::Formula(parameter_ids_[i], scope, parameter.place));
    }
  }
}

void ConstantTable::bind(const double* p, double* constants, double* scratch) const {
  std::copy(base_.begin(), base_.end(), constants);
  for (const auto& d : driven_) constants[d.constant] = d.formula.value(p, scratch);
}

void ConstantTable::gradients(const double* p, double* gradients, double* scratch) const {
  for (const auto& d : driven_) d.formula.gradient(p, scratch, gradients + d.first_gradient);
}

void ConstantTable::pull_back(const double* gradients, int d, double adjoint,
                              double* parameters) const {
  const Driven& driven = driven_[static_cast<std::size_t>(d)];
  const double* gradient = gradients + driven.first_gradient;
  for (const int slot : driven.formula.used_slots()) parameters[slot] += adjoint * *gradient++;
}

void ConstantTable::directions(const double* gradients, const double* dp_chunk, int d,
                               double* lanes) const {
  driven_[d].formula.apply(gradients + driven_[d].first_gradient, dp_chunk, lanes);
}

}  // namespace parfait::mechanism
