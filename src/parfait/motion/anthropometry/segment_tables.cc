#include "parfait/motion/anthropometry/segment_tables.h"

#include <algorithm>

// Numbers of the publications, as printed; segment_tables_test.cc checks what they say about
// themselves.
namespace parfait::motion {
namespace {

// Segment, endpoints, length [mm], mass [%], centre of mass [% from the first endpoint], radii of
// gyration [% of the length] about the sagittal, transverse and longitudinal axis.
constexpr DeLevaRow kDeLevaMale[] = {
    {"Head", "VERT-MIDG", 203.3, 6.94, 59.76, 36.2, 37.6, 31.2},
    {"Trunk", "SUPR-MIDH", 531.9, 43.46, 44.86, 37.2, 34.7, 19.1},
    {"Upper trunk", "SUPR-XYPH", 170.7, 15.96, 29.99, 71.6, 45.4, 65.9},
    {"Middle trunk", "XYPH-OMPH", 215.5, 16.33, 45.02, 48.2, 38.3, 46.8},
    {"Lower trunk", "OMPH-MIDH", 145.7, 11.17, 61.15, 61.5, 55.1, 58.7},
    {"Upper arm", "SJC-EJC", 281.7, 2.71, 57.72, 28.5, 26.9, 15.8},
    {"Forearm", "EJC-WJC", 268.9, 1.62, 45.74, 27.6, 26.5, 12.1},
    {"Hand", "WJC-MET3", 86.2, 0.61, 79, 62.8, 51.3, 40.1},
    {"Thigh", "HJC-KJC", 422.2, 14.16, 40.95, 32.9, 32.9, 14.9},
    {"Shank", "KJC-LMAL", 434, 4.33, 44.59, 25.5, 24.9, 10.3},
    {"Foot", "HEEL-TTIP", 258.1, 1.37, 44.15, 25.7, 24.5, 12.4},
    {"Head 2", "VERT-CERV", 242.9, 6.94, 50.02, 30.3, 31.5, 26.1},
    {"Trunk 2", "CERV-MIDH", 603.3, 43.46, 51.38, 32.8, 30.6, 16.9},
    {"Trunk 3", "MIDS-MIDH", 515.5, 43.46, 43.1, 38.4, 35.8, 19.7},
    {"Upper trunk 2", "CERV-XYPH", 242.1, 15.96, 50.66, 50.5, 32, 46.5},
    {"Forearm 2", "EJC-STYL", 266.9, 1.62, 46.08, 27.8, 26.7, 12.2},
    {"Hand 2", "WJC-DAC3", 187.9, 0.61, 36.24, 28.8, 23.5, 18.4},
    {"Hand 3", "STYL-DAC3", 189.9, 0.61, 36.91, 28.5, 23.3, 18.2},
    {"Hand 4", "STYL-MET3", 88.2, 0.61, 79.48, 61.4, 50.2, 39.2},
    {"Shank 2", "KJC-AJC", 440.3, 4.33, 43.95, 25.1, 24.6, 10.2},
    {"Shank 3", "KJC-SPHY", 427.7, 4.33, 45.24, 25.8, 25.3, 10.5},
};

constexpr DeLevaRow kDeLevaFemale[] = {
    {"Head", "VERT-MIDG", 200.2, 6.68, 58.94, 33, 35.9, 31.8},
    {"Trunk", "SUPR-MIDH", 529.3, 42.57, 41.51, 35.7, 33.9, 17.1},
    {"Upper trunk", "SUPR-XYPH", 142.5, 15.45, 20.77, 74.6, 50.2, 71.8},
    {"Middle trunk", "XYPH-OMPH", 205.3, 14.65, 45.12, 43.3, 35.4, 41.5},
    {"Lower trunk", "OMPH-MIDH", 181.5, 12.47, 49.2, 43.3, 40.2, 44.4},
    {"Upper arm", "SJC-EJC", 275.1, 2.55, 57.54, 27.8, 26, 14.8},
    {"Forearm", "EJC-WJC", 264.3, 1.38, 45.59, 26.1, 25.7, 9.4},
    {"Hand", "WJC-MET3", 78, 0.56, 74.74, 53.1, 45.4, 33.5},
    {"Thigh", "HJC-KJC", 368.5, 14.78, 36.12, 36.9, 36.4, 16.2},
    {"Shank", "KJC-LMAL", 432.3, 4.81, 44.16, 27.1, 26.7, 9.3},
    {"Foot", "HEEL-TTIP", 228.3, 1.29, 40.14, 29.9, 27.9, 13.9},
    {"Head 2", "VERT-CERV", 243.7, 6.68, 48.41, 27.1, 29.5, 26.1},
    {"Trunk 2", "CERV-MIDH", 614.8, 42.57, 49.64, 30.7, 29.2, 14.7},
    {"Trunk 3", "MIDS-MIDH", 497.9, 42.57, 37.82, 37.9, 36.1, 18.2},
    {"Upper trunk 2", "CERV-XYPH", 228, 15.45, 50.5, 46.6, 31.4, 44.9},
    {"Forearm 2", "EJC-STYL", 262.4, 1.38, 45.92, 26.3, 25.9, 9.5},
    {"Hand 2", "WJC-DAC3", 170.1, 0.56, 34.27, 24.4, 20.8, 15.4},
    {"Hand 3", "STYL-DAC3", 172, 0.56, 35.02, 24.1, 20.6, 15.2},
    {"Hand 4", "STYL-MET3", 79.9, 0.56, 75.34, 51.9, 44.3, 32.7},
    {"Shank 2", "KJC-AJC", 438.6, 4.81, 43.52, 26.7, 26.3, 9.2},
    {"Shank 3", "KJC-SPHY", 426, 4.81, 44.81, 27.5, 27.1, 9.4},
};

// Segment, mass [%], centre of mass [% of the length, x forward, y up, z right], signed radii of
// gyration [%]: xx yy zz xy xz yz; a minus stands for the negative product of an imaginary radius.
constexpr DumasRow kDumasMale[] = {
    {"head+neck", 6.7, {-6.2, 55.5, 0.1}, {31, 25, 33, -9, -2, 3}},
    {"torso", 33.3, {-3.6, -42, -0.2}, {27, 25, 28, 18, 2, -4}},
    {"pelvis", 14.2, {2.8, -28, -0.6}, {101, 106, 95, -25, -12, -8}},
    {"upper arm", 2.4, {1.7, -45.2, -2.6}, {31, 14, 32, 6, 5, 2}},
    {"forearm", 1.7, {1, -41.7, 1.4}, {28, 11, 27, 3, 2, -8}},
    {"hand", 0.6, {3.5, -35.7, 3.2}, {26, 16, 24, 9, 7, -8}},
    {"thigh", 12.3, {-4.1, -42.9, 3.3}, {29, 15, 30, 7, -2, -7}},
    {"shank", 4.8, {-4.8, -41, 0.7}, {28, 10, 28, -4, -2, 5}},
    {"foot", 1.2, {43.6, -2.5, -0.7}, {11, 25, 25, 9, -6, 0}},
};

constexpr DumasRow kDumasFemale[] = {
    {"head+neck", 6.7, {-7, 59.7, 0}, {32, 27, 34, -6, 1, -1}},
    {"torso", 30.4, {-1.6, -43.6, -0.6}, {29, 27, 29, 22, 5, -5}},
    {"pelvis", 14.6, {-0.9, -23.2, 0.2}, {91, 100, 79, -34, -1, -1}},
    {"upper arm", 2.2, {-7.3, -45.4, -2.8}, {33, 17, 33, 3, -5, -14}},
    {"forearm", 1.3, {2.1, -41.1, 1.9}, {26, 14, 25, 10, 4, -13}},
    {"hand", 0.5, {3.3, -32.7, 2.1}, {27, 18, 25, 12, 10, -12}},
    {"thigh", 14.6, {-7.7, -37.7, 0.9}, {31, 19, 32, 7, -2, -7}},
    {"shank", 4.5, {-4.9, -40.4, 3.1}, {28, 10, 28, 2, 1, 6}},
    {"foot", 1, {44.3, 4.4, -2.5}, {12, 25, 25, -7, 5, -3}},
};

template <class Row>
const Row& find(std::span<const Row> rows, std::string_view segment) {
  return *std::ranges::find_if(rows, [&](const Row& row) { return row.segment == segment; });
}

}  // namespace

std::span<const DeLevaRow> de_leva(Sex sex) {
  if (sex == Sex::kMale) return kDeLevaMale;
  return kDeLevaFemale;
}
std::span<const DumasRow> dumas(Sex sex) {
  if (sex == Sex::kMale) return kDumasMale;
  return kDumasFemale;
}
const DeLevaRow& de_leva(Sex sex, std::string_view segment) {
  return find(de_leva(sex), segment);
}
const DumasRow& dumas(Sex sex, std::string_view segment) {
  return find(dumas(sex), segment);
}
double de_leva_height(Sex sex) {
  return sex == Sex::kMale ? 1.741 : 1.735;
}

}  // namespace parfait::motion
