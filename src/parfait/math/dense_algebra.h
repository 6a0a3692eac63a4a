#pragma once

#include <Eigen/Dense>

/// The kernels of products, triangular solves and reflections are compiled once, in
/// dense_algebra.cc at full optimization, instead of in every file that multiplies matrices.
/// Whoever includes this header calls what is compiled there; whoever does not gets Eigen's
/// templates as usual, optimized as that file is, so results may differ in the last bits. The
/// precompiled headers of the build include it. Decompositions: dense_solves.h.
#define PARFAIT_INSTANTIATE extern template
#include "parfait/math/dense_algebra_list.h"
#undef PARFAIT_INSTANTIATE
