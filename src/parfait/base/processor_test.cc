#include "parfait/base/processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parfait::base {
namespace {

using ::testing::HasSubstr;

TEST(Processor, OneThatHasEverythingIsSuitable) {
  EXPECT_EQ(unsuitable_processor({}), nullptr);
}

TEST(Processor, OneThatLacksAnythingGetsASentence) {
  for (const ProcessorFeatures lacking :
       {ProcessorFeatures{.avx2 = false}, {.fma = false}, {.bmi2 = false}}) {
    const char* const sentence = unsuitable_processor(lacking);
    ASSERT_NE(sentence, nullptr);
    EXPECT_THAT(sentence, HasSubstr("needs a processor with AVX2, FMA and BMI2"));
    EXPECT_THAT(sentence, HasSubstr("-DPARFAIT_ARCH=native"));
  }
}

}  // namespace
}  // namespace parfait::base
