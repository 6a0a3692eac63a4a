#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "parfait/expr/formula.h"
#include "testing/allocations.h"

namespace parfait::expr {
namespace {

using testing_support::num_allocations;

TEST(Evaluation, DoesNotAllocate) {
  Names scope({"t", "x", "y"});
  const long before_building = num_allocations();
  scope.add_table("u", Table({0, 1, 2}, {0, 1, 0}, Interpolation::kCubic));
  const Formula f("u * sin(x)^y + max(x, y, t) / (x < y ? exp(t) : 2) - smoothstep(x, 0, y)",
                  scope);
  ASSERT_GT(num_allocations(), before_building);  // the counter works

  const int n = f.num_used(), k = f.num_switches();
  std::vector<double> scratch(f.scratch_size()), grad(3 * n), switches(k), switch_grads(k * n);
  const std::vector<double> s{0.4, 0.7, 1.9}, ds{1, 0, 0}, dds{0, 0, 0};
  const std::vector<double> directions(3 * math::kLanes, 1.0);
  std::vector<double> out(3 * math::kLanes);
  const std::vector<std::int8_t> mode(k, 1);
  ASSERT_EQ(n, 3);
  ASSERT_EQ(k, 3);

  const long before = num_allocations();
  double sum = f.value(s.data(), scratch.data());
  sum += f.value(s.data(), scratch.data(), mode.data());
  sum += f.gradient(s.data(), scratch.data(), grad.data());
  f.apply(grad.data(), directions.data(), out.data());
  sum += f.value_and_directions(s.data(), directions.data(), scratch.data(), out.data());
  sum += f.taylor2(s.data(), ds.data(), dds.data(), scratch.data()).ddf;
  sum += f.taylor2_gradient(s.data(), ds.data(), dds.data(), scratch.data(), grad.data()).f;
  f.taylor2_apply(grad.data(), directions.data(), directions.data(), directions.data(), out.data());
  f.switch_values(s.data(), scratch.data(), switches.data());
  f.switch_gradients(s.data(), scratch.data(), switches.data(), switch_grads.data());
  const Formula copy = f;  // NOLINT(performance-unnecessary-copy-initialization): must be free, too
  sum += copy.uses(1);
  EXPECT_EQ(num_allocations(), before);
  EXPECT_NE(sum, 0);
}

TEST(Evaluation, StaysInsideItsScratch) {
  Names scope({"t", "x", "y"});
  const Formula f("sin(x)^y + max(x, y, t) / (x < y ? exp(t) : 2)", scope);
  const double guard = 123.25;
  std::vector<double> scratch(f.scratch_size() + 16, guard), grad(9), out(3 * math::kLanes);
  const std::vector<double> s{0.4, 0.7, 1.9}, directions(3 * math::kLanes, 1.0);
  f.value_and_directions(s.data(), directions.data(), scratch.data(), out.data());
  f.taylor2_gradient(s.data(), s.data(), s.data(), scratch.data(), grad.data());
  for (std::size_t i = f.scratch_size(); i < scratch.size(); ++i) EXPECT_EQ(scratch[i], guard);
}

}  // namespace
}  // namespace parfait::expr
