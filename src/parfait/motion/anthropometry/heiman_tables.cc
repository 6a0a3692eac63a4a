#include "parfait/motion/anthropometry/heiman_tables.h"

namespace parfait::motion {
namespace {

/// Segments with the rows of de Leva's table they are made of. Shank and hand have rows for other
/// endpoints: knee to ankle joint, wrist joint to the tip of the third finger.
struct Part {
  const char* name;
  const char* row;
  bool from_below;  ///< its frame is at the lower end, the table's first endpoint at the upper one
};
constexpr Part kParts[] = {{"Pelvis", "Lower trunk", true},
                           {"Thigh|", "Thigh", false},
                           {"Shank|", "Shank 2", false},
                           {"Foot|", "Foot", false},
                           {"MiddleTrunk", "Middle trunk", true},
                           {"UpperTrunk", "Upper trunk", true},
                           {"UpperArm|", "Upper arm", false},
                           {"LowerArm|", "Forearm", false},
                           {"Hand|", "Hand 2", false},
                           {"Head", "Head", true}};

const Part& part_of(const std::string& name) {
  for (const Part& part : kParts) {
    if (name == part.name) return part;
  }
  return kParts[0];
}

/// Table 4.5 as printed. The pelvis has a radius of 1.615, the shank's row is for a segment that
/// ends at the malleolus, and the foot's centre lies below the ankle.
struct Printed {
  const char* part;
  double center;
  std::array<double, 3> radii;
};
constexpr Printed kPrinted[] = {
    {"Pelvis", 0.3884, {1.615, 0.551, 0.587}},      {"Thigh|", -0.4095, {0.329, 0.329, 0.149}},
    {"Shank|", -0.4458, {0.255, 0.249, 0.103}},     {"Foot|", -0.4415, {0.257, 0.245, 0.124}},
    {"MiddleTrunk", 0.5498, {0.482, 0.383, 0.468}}, {"UpperTrunk", 0.7001, {0.716, 0.454, 0.659}},
    {"UpperArm|", -0.5772, {0.285, 0.269, 0.158}},  {"LowerArm|", -0.4574, {0.276, 0.265, 0.121}},
    {"Hand|", -0.3624, {0.288, 0.235, 0.184}},      {"Head", 0.4024, {0.362, 0.376, 0.312}}};

}  // namespace

std::vector<HeiManShare> heiman_shares(Sex sex, bool as_published) {
  // Of de Leva's mean body, [mm]; and what table 4.3 prints of it.
  const auto length = [&](const char* row, double printed) {
    return as_published ? printed : 1e-3 * de_leva(sex, row).length / de_leva_height(sex);
  };
  const double chest = length("Upper trunk", 0.0980);
  std::vector<HeiManShare> out{
      // Widths after Dumas et al. (2007), feet as Felis guessed them.
      {"Clavicula|Length", 0.1200},
      {"Foot|Height", 0.0468},
      {"Foot|Length", 0.1462},
      {"Foot|PosteriorPoint", 0.0400},
      {"Hand|Length", length("Hand 2", 0.1079)},
      {"HeadLength", length("Head", 0.1168)},
      {"Hip|Width", 0.0461},
      {"LowerArm|Length", length("Forearm", 0.1545)},
      {"PelvisHeight", length("Lower trunk", 0.0837)},
      // Printed is 0.3752, three times what de Leva has and what Felis' own subjects have.
      {"MiddleTrunkHeight", length("Middle trunk", 0.3752)},
      // 111 mm of the mean man.
      {"NeckLength", as_published ? 0.0638 : 0.111 / 1.741},
      {"Shank|Length", length("Shank 2", 0.2529)},
      {"Shoulder|Height", chest},
      {"SuprasternaleHeight", chest},
      {"Thigh|Length", length("Thigh", 0.2425)},
      {"UpperArm|Length", length("Upper arm", 0.1618)},
      {"UpperTrunkHeight", chest}};
  double sum = 0;
  std::vector<HeiManShare> masses;
  for (const Part& part : kParts) {
    const std::string name = part.name;
    const double share = 0.01 * de_leva(sex, part.row).mass;
    sum += (name.ends_with('|') ? 2 : 1) * share;
    masses.push_back({name + "Mass", share, true});
  }
  // Percentages of a woman add up to 99.99.
  for (auto& mass : masses) mass.share /= sum;
  masses.push_back({"Clavicula|Mass", 0, true});
  masses.push_back({"NeckMass", 0, true});
  out.insert(out.end(), masses.begin(), masses.end());
  return out;
}

HeiManInertia heiman_inertia(Sex sex, const std::string& name, bool as_published) {
  if (as_published) {
    for (const Printed& row : kPrinted) {
      if (name == row.part) return {row.center, row.radii};
    }
  }
  const Part& part = part_of(name);
  const DeLevaRow& row = de_leva(sex, part.row);
  const double along = 0.01 * row.center;
  HeiManInertia out;
  out.center = part.from_below ? 1 - along : -along;
  // The sagittal axis is x, the transverse one y; of a foot the long one is x and the other two
  // follow as they stand in the table: transverse, vertical, long.
  if (name == "Foot|") {
    out.radii = {0.01 * row.longitudinal, 0.01 * row.sagittal, 0.01 * row.transverse};
  } else {
    out.radii = {0.01 * row.sagittal, 0.01 * row.transverse, 0.01 * row.longitudinal};
  }
  return out;
}

const std::vector<HeiManMarker>& heiman_markers() {
  static const std::vector<HeiManMarker> kMarkers{
      {"Pelvis", "|ASI", {0.055, -0.113, 0.080}},
      {"Pelvis", "|PSI", {-0.130, -0.045, 0.085}},
      {"Thigh|", "|THI", {0.000, -0.085, -0.220}, false},
      {"Shank|", "|KNE", {0.000, -0.060, 0.000}},
      {"Shank|", "|TIB", {0.000, -0.060, -0.220}, false},
      {"Foot|", "|ANK", {0.000, -0.045, 0.000}},
      {"Foot|", "|HEE", {-0.075, 0.000, -0.040}},
      {"Foot|", "|TOE", {0.130, 0.000, -0.040}},
      {"MiddleTrunk", "T10", {-0.115, 0.000, 0.200}},
      {"MiddleTrunk", "STRN", {0.110, 0.000, 0.200}},
      {"UpperTrunk", "CLAV", {0.070, 0.000, 0.170}},
      {"UpperTrunk", "C7", {-0.080, 0.000, 0.220}},
      {"UpperArm|", "|UPA", {0.000, -0.055, -0.170}, false},
      {"LowerArm|", "|ELB", {0.000, -0.045, 0.000}},
      {"LowerArm|", "|WRA", {0.035, 0.000, -0.260}},
      {"LowerArm|", "|WRB", {-0.035, -0.020, -0.260}},
      {"Head", "|FHD", {0.085, -0.070, 0.120}},
      {"Head", "|BHD", {-0.090, -0.060, 0.120}}};
  return kMarkers;
}

}  // namespace parfait::motion
