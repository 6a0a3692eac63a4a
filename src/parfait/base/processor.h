#pragma once

namespace parfait::base {

/// What a processor can do of the instruction set that this build uses.
struct ProcessorFeatures {
  bool avx2 = true, fma = true, bmi2 = true;
};

/// The sentence for a processor that cannot run this build; null: it can. Where this object is
/// linked in (the tool, and every program that uses the library's errors) it is asked before any
/// other code runs, and ends the program with exit code 2 instead of an illegal instruction.
const char* unsuitable_processor(const ProcessorFeatures& features);

/// Refers to the check, so that a linker takes it along.
extern const bool kProcessorIsChecked;

}  // namespace parfait::base
