#include "modes_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parfait/io/csv.h"

namespace parfait::app {
namespace {

bool is_displacement(const std::string& name) {
  const auto ends_with = [&](const char* end) { return name.ends_with(end); };
  return ends_with(".angle") || ends_with(".angle.1") || ends_with(".angle.2") ||
         ends_with(".angle.3") || ends_with(".displacement") || ends_with(".com.x") ||
         ends_with(".com.y") || ends_with(".com.z");
}

/// What a shape is told in, besides coordinates.
std::vector<std::string> shape_quantities(const run::Model& model) {
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

ModesTable::ModesTable(const run::Model& model, double t, dynamics::ConstVec y,
                       dynamics::ConstVec z, const dynamics::ModalAnalysis& analysis, int count)
    : analysis_(analysis),
      num_modes_(std::min(count, static_cast<int>(analysis.modes.size()))),
      names_(shape_quantities(model)) {
  const auto& system = *model.system;
  const int nq = system.sizes().nq, ny = system.sizes().ny();
  const auto states = system.state_names();
  num_quantities_ = static_cast<int>(names_.size());

  const auto observer = system.make_observer(names_);
  const auto workspace = system.make_workspace(2);
  system.bind(*workspace, model.parameter_values());
  std::vector<double> values(names_.size());
  system.observe(*workspace, *observer, {.t = t, .y = y, .z = z, .mode = {}, .offset = {}}, values);
  point_names_ = names_;
  point_ = values;
  for (int i = 0; i < ny - system.sizes().ne; ++i) {
    point_names_.push_back(states[i]);
    point_.push_back(y[i]);
  }
  point_names_.insert(point_names_.begin(), "t");
  point_.insert(point_.begin(), t);

  names_.insert(names_.end(), states.begin(), states.begin() + nq);
  shapes_.resize(static_cast<Eigen::Index>(names_.size()), num_modes_);
  dynamics::Directions dy, dvalues;
  for (int j = 0; j < num_modes_; ++j) {
    const auto& shape = analysis.modes[j].shape;
    dy.resize(ny, 2);
    dvalues.resize(num_quantities_, 2);
    for (int i = 0; i < ny; ++i) {
      dy(i, 0) = shape[i].real();
      dy(i, 1) = shape[i].imag();
    }
    system.observe_directions(*workspace, *observer,
                              {.dt = {}, .dy = &dy, .dz = nullptr, .dphi = nullptr}, dvalues);
    for (int i = 0; i < num_quantities_; ++i) shapes_(i, j) = {dvalues(i, 0), dvalues(i, 1)};
    shapes_.col(j).tail(nq) = shape.head(nq);
  }
}

std::string ModesTable::moves_most(int i) const {
  Eigen::Index row = 0;
  shapes_.col(i).head(num_quantities_).cwiseAbs().maxCoeff(&row);
  return names_[row];
}

std::string ModesTable::modes_csv() const {
  io::CsvTable table;
  table.header = {"mode",    "re",           "im", "frequency_hz", "damped_frequency_hz",
                  "damping", "time_constant"};
  table.columns.resize(table.header.size());
  for (int i = 0; i < num_modes_; ++i) {
    const auto& m = mode(i);
    // Without decay there is no time constant: an empty cell.
    const double time = std::isfinite(m.time_constant) ? m.time_constant : NAN;
    const double row[] = {i + 1.0,     m.eigenvalue.real(), m.eigenvalue.imag(),
                          m.frequency, m.damped_frequency,  m.damping,
                          time};
    for (std::size_t c = 0; c < table.columns.size(); ++c) table.columns[c].push_back(row[c]);
  }
  return io::csv_text(table);
}

std::string ModesTable::shapes_csv() const {
  std::string text = "quantity";
  for (int j = 1; j <= num_modes_; ++j) text += fmt::format(",mode{}_re,mode{}_im", j, j);
  text += '\n';
  for (Eigen::Index i = 0; i < shapes_.rows(); ++i) {
    text += names_[i];
    for (int j = 0; j < num_modes_; ++j) {
      text += fmt::format(",{},{}", shapes_(i, j).real(), shapes_(i, j).imag());
    }
    text += '\n';
  }
  return text;
}

std::string ModesTable::point_csv() const {
  io::CsvTable table;
  table.header = point_names_;
  for (const double x : point_) table.columns.push_back({x});
  return io::csv_text(table);
}

}  // namespace parfait::app
