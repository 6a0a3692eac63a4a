#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

const char* text(Condensing condensing) {
  switch (condensing) {
    case Condensing::kAutomatic:
      return "auto";
    case Condensing::kGauss:
      return "gauss";
    case Condensing::kOrthogonal:
      return "orthogonal";
  }
  return "";
}

const char* text(Reduction reduction) {
  switch (reduction) {
    case Reduction::kAutomatic:
      return "auto";
    case Reduction::kNone:
      return "none";
    case Reduction::kFixfit:
      return "fixfit";
    case Reduction::kInvariants1:
      return "invariants1";
    case Reduction::kInvariants2:
      return "invariants2";
  }
  return "";
}

const char* text(Relaxation relaxation) {
  switch (relaxation) {
    case Relaxation::kLimit:
      return "limit";
    case Relaxation::kStandard:
      return "standard";
    case Relaxation::kBaumgarte:
      return "baumgarte";
  }
  return "";
}

const char* text(dynamics::Norm projection) {
  switch (projection) {
    case dynamics::Norm::kMass:
      return "mechanical";
    case dynamics::Norm::kEuclidean:
      return "euclidean";
    case dynamics::Norm::kPartition:
      return "partition";
  }
  return "";
}

}  // namespace parfait::estimate
