#pragma once

#include <Eigen/Dense>

/// The dense algebra of doubles is compiled once, in dense_algebra.cc at full optimization, instead
/// of in every file that solves a linear system. Whoever includes this header calls what is
/// compiled there; whoever does not gets Eigen's templates as usual, optimized as that file is, so
/// results may differ in the last bits. The precompiled headers of the build include it.
#define PARFAIT_INSTANTIATE extern template
#include "parfait/math/dense_algebra_list.h"
#undef PARFAIT_INSTANTIATE
