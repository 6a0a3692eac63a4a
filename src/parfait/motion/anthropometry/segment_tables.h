#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

/// Published tables of body segments. Percentages as printed; who uses them divides by 100.
namespace parfait::motion {

enum class Sex : std::uint8_t { kFemale, kMale };

/// de Leva (1996), Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters, J. Biomech.
/// 29, 1223-1230, table 4. The mean man is 1.741 m tall, the mean woman 1.735 m. Rows such as "Head
/// 2" are the same segment between other endpoints. The foot's long axis goes from heel to toe.
struct DeLevaRow {
  std::string_view segment;
  std::string_view endpoints;  ///< cranial or proximal first
  double length;               ///< of the mean body [mm]
  double mass;                 ///< [% of the body]
  double center;               ///< [% of the length from the first endpoint]
  double sagittal;             ///< radius of gyration about the antero-posterior axis [%] ...
  double transverse;           ///< ... the medio-lateral one ...
  double longitudinal;         ///< ... and the long one
};

/// Dumas, Cheze and Verriest (2007), Adjustments to McConville et al. and Young et al. body segment
/// inertial parameters, J. Biomech. 40, 543-553, table 2. Frames of the ISB: x forward, y up, z
/// right, for the right side of the body.
struct DumasRow {
  std::string_view segment;
  double mass;                   ///< [% of the body]
  std::array<double, 3> center;  ///< [% of the length]
  std::array<double, 6> radii;   ///< [%] xx yy zz xy xz yz; the sign is that of the entry
};

std::span<const DeLevaRow> de_leva(Sex sex);
std::span<const DumasRow> dumas(Sex sex);
/// The segment must be one of the table.
const DeLevaRow& de_leva(Sex sex, std::string_view segment);
const DumasRow& dumas(Sex sex, std::string_view segment);
/// Height of de Leva's mean body [m].
double de_leva_height(Sex sex);

}  // namespace parfait::motion
