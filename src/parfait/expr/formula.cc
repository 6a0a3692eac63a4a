#include "parfait/expr/formula.h"

#include <algorithm>

#include "parfait/expr/functions.h"
#include "parfait/expr/parser.h"
#include "parfait/expr/program.h"
#include "parfait/expr/sweeps.h"

namespace parfait::expr {

namespace {

std::shared_ptr<const Program> zero() {
  static const auto program = [] {
    ProgramBuilder builder;
    return std::make_shared<const Program>(builder.finish(builder.constant(0), "0"));
  }();
  return program;
}

/// Where value_and_directions() keeps its gradient: behind everything a sweep needs.
double* gradient_room(const Program& program, double* scratch) {
  return scratch + 4 * program.code.size() * kNumbers<Taylor2>;
}

}  // namespace

Formula::Formula() : program_(zero()) {}

Formula::Formula(std::string_view text, Scope& scope, const base::Place& place)
    : program_(std::make_shared<const Program>(parse(text, scope, place))) {}

const std::string& Formula::text() const {
  return program_->text;
}

std::span<const int> Formula::used_slots() const {
  return program_->used;
}

bool Formula::uses(int slot) const {
  return std::binary_search(program_->used.begin(), program_->used.end(), slot);
}

bool Formula::is_constant() const {
  return program_->used.empty();
}

std::size_t Formula::scratch_size() const {
  return 4 * program_->code.size() * kNumbers<Taylor2> + program_->used.size();
}

double Formula::value(const double* slots, double* scratch, Mode mode) const {
  sweep_values(*program_, slots, mode, scratch);
  return scratch[program_->size() - 1];
}

double Formula::gradient(const double* slots, double* scratch, double* grad, Mode mode) const {
  linearize<double>(*program_, &slots, mode, scratch);
  const int last = program_->size() - 1;
  reverse<double>(*program_, last, -1, scratch, grad);
  return scratch[last];
}

void Formula::apply(const double* grad, const double* dslots, double* dout) const {
  math::Lane sum{};
  for (const int slot : program_->used) sum += *grad++ * math::load(dslots + slot * math::kLanes);
  math::store(dout, sum);
}

double Formula::value_and_directions(const double* slots, const double* dslots, double* scratch,
                                     double* dout, Mode mode) const {
  double* const grad = gradient_room(*program_, scratch);
  const double f = gradient(slots, scratch, grad, mode);
  apply(grad, dslots, dout);
  return f;
}

Taylor Formula::taylor2(const double* s, const double* ds, const double* dds, double* scratch,
                        Mode mode) const {
  const double* const slots[] = {s, ds, dds};
  linearize<Taylor2>(*program_, slots, mode, scratch);
  const double* const last = scratch + 3 * (program_->size() - 1);
  return {last[0], last[1], last[2]};
}

Taylor Formula::taylor2_gradient(const double* s, const double* ds, const double* dds,
                                 double* scratch, double* grad, Mode mode) const {
  const Taylor f = taylor2(s, ds, dds, scratch, mode);
  reverse<Taylor2>(*program_, program_->size() - 1, -1, scratch, grad);
  return f;
}

void Formula::taylor2_apply(const double* grad, const double* dir_s, const double* dir_ds,
                            const double* dir_dds, double* dout) const {
  const int n = num_used();
  math::Lane df[3] = {};
  for (int j = 0; j < n; ++j) {
    const int row = program_->used[j] * math::kLanes;
    const double g = grad[j], dg = grad[n + j], ddg = grad[2 * n + j];
    if (dir_s) {
      const math::Lane d = math::load(dir_s + row);
      df[0] += g * d;
      df[1] += dg * d;
      df[2] += ddg * d;
    }
    if (dir_ds) {
      const math::Lane d = math::load(dir_ds + row);
      df[1] += g * d;
      df[2] += 2 * dg * d;
    }
    if (dir_dds) df[2] += g * math::load(dir_dds + row);
  }
  for (int o = 0; o < 3; ++o) math::store(dout + o * math::kLanes, df[o]);
}

int Formula::num_switches() const {
  return static_cast<int>(program_->switches.size());
}

void Formula::switch_values(const double* slots, double* scratch, double* out, Mode mode) const {
  sweep_values(*program_, slots, mode, scratch);
  for (const Switch& s : program_->switches) {
    *out++ = scratch[s.plus] - (s.minus < 0 ? 0 : scratch[s.minus]);
  }
}

void Formula::switch_gradients(const double* slots, double* scratch, double* out, double* grads,
                               Mode mode) const {
  linearize<double>(*program_, &slots, mode, scratch);
  for (const Switch& s : program_->switches) {
    *out++ = scratch[s.plus] - (s.minus < 0 ? 0 : scratch[s.minus]);
    reverse<double>(*program_, s.plus, s.minus, scratch, grads);
    grads += num_used();
  }
}

void Formula::time_breaks(std::vector<double>& out, int smooth) const {
  for (const Table& table : program_->tables) table.append_breaks(out, smooth);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Function& function : functions()) names.emplace_back(function.name);
  return names;
}

}  // namespace parfait::expr
