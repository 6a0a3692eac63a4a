// Compiled for every x86-64 processor, unlike the rest: nothing but what it includes may run
// before.
#include "parfait/base/processor.h"

#include <unistd.h>

namespace parfait::base {

const bool kProcessorIsChecked = true;

const char* unsuitable_processor(const ProcessorFeatures& features) {
  if (features.avx2 && features.fma && features.bmi2) return nullptr;
  return "parfait: this build needs a processor with AVX2, FMA and BMI2 (x86-64-v3), which this "
         "one has "
         "not. Build it on this machine with -DPARFAIT_ARCH=native.\n";
}

#if defined(__x86_64__)
namespace {

__attribute__((constructor(101))) void check_processor() {
  __builtin_cpu_init();
  ProcessorFeatures features;
  features.avx2 = __builtin_cpu_supports("avx2") != 0;
  features.fma = __builtin_cpu_supports("fma") != 0;
  features.bmi2 = __builtin_cpu_supports("bmi2") != 0;
#ifndef PARFAIT_NEEDS_X86_64_V3
  features = {};
#endif
  const char* const sentence = unsuitable_processor(features);
  if (sentence == nullptr) return;
  unsigned long size = 0;
  while (sentence[size] != 0) ++size;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, sentence, size);
  ::_exit(2);
}

}  // namespace
#endif

}  // namespace parfait::base
