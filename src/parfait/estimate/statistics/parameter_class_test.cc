#include "parfait/estimate/statistics/parameter_class.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parfait::estimate {
namespace {

ParameterClass class_of(const ClassifiedParameter& p, Identifiability& identifiability) {
  FitScale scale;
  scale.individual = 2;
  return classify({p}, scale, identifiability).front();
}

// A parameter by its logarithm: +-2 sd are a factor of ten at a relative deviation of ln 10 / 2.
TEST(ParameterClass, AnUnknownOrderOfMagnitudeIsUndetermined) {
  Identifiability findings;
  const double limit = std::log(10) / 2;
  ClassifiedParameter p{.name = "c1", .value = 15000, .sd = 0.99 * limit * 15000, .is_log = true};
  EXPECT_EQ(class_of(p, findings), ParameterClass::kDetermined);
  EXPECT_TRUE(findings.findings.empty());
  p.sd = 1.01 * limit * 15000;
  EXPECT_EQ(class_of(p, findings), ParameterClass::kPractically);
  ASSERT_EQ(findings.findings.size(), 1U);
  EXPECT_EQ(findings.findings[0].parameters, std::vector<std::string>{"c1"});
  EXPECT_NE(findings.findings[0].text.find("relative deviation of 116 %"), std::string::npos)
      << findings.findings[0].text;
  // Without a logarithm zero is a value like any other.
  p.is_log = false;
  EXPECT_EQ(class_of(p, findings), ParameterClass::kDetermined);
}

}  // namespace
}  // namespace parfait::estimate
