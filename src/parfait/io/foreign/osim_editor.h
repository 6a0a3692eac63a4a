#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace parfait::io {

/// What a calibration changes in an OpenSim model.
struct OsimChanges {
  using Triple = std::array<double, 3>;
  std::map<std::string, Triple> scale;    ///< factors of bodies
  std::map<std::string, Triple> markers;  ///< places on their bodies, m, as they shall be
  /// The joint that carries a body: its frame on the parent as it shall be, where that is more than
  /// scaled (orientation: about x, y', z'').
  struct JointFrame {
    Triple translation{}, orientation{};
  };
  std::map<std::string, JointFrame> joints;
  double mass_factor = 1;
};

/// The text of an .osim file with other numbers; everything else stays as it is, character by
/// character.
///
///   frames of joints    translations times the factors of the body they are on
///   CustomJoint         displacements S R a f, with R the axes of the joint on its parent: the axis
///                       R^T S R a and a multiplier, except where the displacement is the coordinate
///   markers             as given; others on scaled bodies times the factors
///   bodies              centres of mass times the factors, masses times the mass factor, moments of
///                       inertia as those of the stretched body; meshes
///   muscles             path points and wrap objects times the factors of their bodies
///
/// `told`: what a person must do (fibre lengths are not scaled), or what cannot be changed.
/// InputError if the text is not such a model.
std::string changed_osim(std::string_view text, const std::string& file_name,
                         const OsimChanges& changes, std::vector<std::string>& told);

}  // namespace parfait::io
