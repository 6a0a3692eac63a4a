#include "parfait/run/simulation/mode_shapes.h"

#include <algorithm>
#include <cmath>

namespace parfait::run {
namespace {

bool is_displacement(const std::string& name) {
  const auto ends_with = [&](const char* end) { return name.ends_with(end); };
  return ends_with(".angle") || ends_with(".angle.1") || ends_with(".angle.2") ||
         ends_with(".angle.3") || ends_with(".displacement") || ends_with(".com.x") ||
         ends_with(".com.y") || ends_with(".com.z");
}

/// What a shape is told in, besides coordinates.
std::vector<std::string> shape_quantities(const Model& model) {
  std::vector<std::string> quantities;
  const auto& sizes = model.system->sizes();
  if (model.mechanics) {
    for (const auto& name : model.mechanics->quantity_names()) {
      if (is_displacement(name)) quantities.push_back(name);
    }
  }
  const auto states = model.system->state_names();
  quantities.insert(quantities.end(), states.end() - sizes.ne, states.end());
  return quantities;
}

}  // namespace

result::ModeShapes make_shapes(const Model& model, double t, dynamics::ConstVec y,
                               dynamics::ConstVec z, const dynamics::ModalAnalysis& analysis,
                               int count) {
  const auto& system = *model.system;
  const int nq = system.sizes().nq, ny = system.sizes().ny();
  const int num_modes = std::min(count, static_cast<int>(analysis.modes.size()));
  const auto states = system.state_names();
  result::ModeShapes out;
  out.quantities = shape_quantities(model);
  const int num_quantities = static_cast<int>(out.quantities.size());

  const auto observer = system.make_observer(out.quantities);
  const auto workspace = system.make_workspace(2);
  system.bind(*workspace, model.parameter_values());
  std::vector<double> values(out.quantities.size());
  system.observe(*workspace, *observer, {.t = t, .y = y, .z = z, .mode = {}, .offset = {}}, values);
  const auto add = [&](const std::string& name, double value) {
    out.point.header.push_back(name);
    out.point.columns.push_back({value});
  };
  add("t", t);
  for (int i = 0; i < num_quantities; ++i) add(out.quantities[i], values[i]);
  for (int i = 0; i < ny - system.sizes().ne; ++i) add(states[i], y[i]);

  out.quantities.insert(out.quantities.end(), states.begin(), states.begin() + nq);
  out.re = out.im = {num_quantities + nq, num_modes};
  dynamics::Directions dy, dvalues;
  for (int j = 0; j < num_modes; ++j) {
    const auto& shape = analysis.modes[j].shape;
    dy.resize(ny, 2);
    dvalues.resize(num_quantities, 2);
    for (int i = 0; i < ny; ++i) {
      dy(i, 0) = shape[i].real();
      dy(i, 1) = shape[i].imag();
    }
    system.observe_directions(*workspace, *observer,
                              {.dt = {}, .dy = &dy, .dz = nullptr, .dphi = nullptr}, dvalues);
    for (int i = 0; i < num_quantities; ++i) {
      out.re(i, j) = dvalues(i, 0);
      out.im(i, j) = dvalues(i, 1);
    }
    for (int i = 0; i < nq; ++i) {
      out.re(num_quantities + i, j) = shape[i].real();
      out.im(num_quantities + i, j) = shape[i].imag();
    }
  }
  return out;
}

std::vector<result::Mode> make_modes(const dynamics::ModalAnalysis& analysis,
                                     const result::ModeShapes& shapes, int num_coordinates) {
  std::vector<result::Mode> modes;
  for (int j = 0; j < shapes.re.cols; ++j) {
    const auto& mode = analysis.modes[j];
    int most = 0;
    const auto size = [&](int i) { return std::hypot(shapes.re(i, j), shapes.im(i, j)); };
    for (int i = 1; i < shapes.re.rows - num_coordinates; ++i) {
      if (size(i) > size(most)) most = i;
    }
    modes.push_back({.number = j + 1,
                     .re = mode.eigenvalue.real(),
                     .im = mode.eigenvalue.imag(),
                     .frequency_hz = mode.frequency,
                     .damped_frequency_hz = mode.damped_frequency,
                     .damping = mode.damping,
                     .time_constant = mode.time_constant,
                     .moves_most = shapes.quantities[most]});
  }
  return modes;
}

}  // namespace parfait::run
