#include "parfait/estimate/shooting/shooting_point.h"

#include "parfait/estimate/shooting/shooting_layout.h"

namespace parfait::estimate {

void set_point(const ShootingLayout& layout, VecIn x, VecIn p, ShootingPoint& point) {
  point.x = x;
  point.p = p;
  const int num_nodes = layout.num_nodes(), nz = layout.nz();
  point.s.resize(num_nodes);
  point.z.resize(num_nodes);
  for (int i = 0; i < num_nodes; ++i) {
    point.s[i] = x.segment(layout.first_of_state(i), layout.size_of_state(i));
    point.z[i] = x.segment(layout.first_of_algebraic(i), nz);
  }
  point.local = x.tail(layout.locals.size());
  point.parameters = layout.parameters;
  point.dparameters.resize(layout.theta.size());
  for (std::size_t j = 0; j < layout.theta.size(); ++j) {
    const ThetaEntry& entry = layout.theta[j];
    const Unknowns& unknowns = entry.local ? layout.locals : layout.shared;
    const double value = entry.local ? point.local[entry.unknown] : p[entry.unknown];
    point.dparameters[j] = unknowns.derivative_of(entry.unknown, value);
    if (entry.before) continue;
    point.parameters[entry.parameter] = unknowns.value_of(entry.unknown, value);
  }
  if (!layout.equilibrium) return;
  point.parameters_before = point.parameters;
  for (const auto& [parameter, value] : layout.equilibrium->values) {
    point.parameters_before[parameter] = value;
  }
  for (const ThetaEntry& entry : layout.theta) {
    if (!entry.before) continue;
    point.parameters_before[entry.parameter] =
        layout.shared.value_of(entry.unknown, p[entry.unknown]);
  }
}

}  // namespace parfait::estimate
