#include "parfait/estimate/problem/problem.h"

namespace parfait::estimate {

const char* text(ValueScale scale) {
  switch (scale) {
    case ValueScale::kLinear:
      return "none";
    case ValueScale::kLog:
      return "log";
    case ValueScale::kLog10:
      return "log10";
  }
  return "";
}

const char* text(Noise::Distribution distribution) {
  switch (distribution) {
    case Noise::Distribution::kNormal:
      return "normal";
    case Noise::Distribution::kLaplace:
      return "laplace";
    case Noise::Distribution::kStudent:
      return "student";
  }
  return "";
}

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

const char* text(ReductionMethod reduction) {
  switch (reduction) {
    case ReductionMethod::kAutomatic:
      return "auto";
    case ReductionMethod::kNone:
      return "none";
    case ReductionMethod::kFixedFit:
      return "fixfit";
    case ReductionMethod::kTangentDirections:
      return "invariants1";
    case ReductionMethod::kTangentNodes:
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

const char* text(CostTerm::Kind kind) {
  switch (kind) {
    case CostTerm::Kind::kIntegral:
      return "integral";
    case CostTerm::Kind::kSum:
      return "sum";
    case CostTerm::Kind::kFinal:
      return "final";
  }
  return "";
}

}  // namespace parfait::estimate
