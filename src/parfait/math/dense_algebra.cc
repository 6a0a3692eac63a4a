#include "parfait/math/dense_algebra.h"

#define PARFAIT_INSTANTIATE template
#include "parfait/math/dense_algebra_list.h"
#undef PARFAIT_INSTANTIATE
