#pragma once

#include "parfait/tree/algorithms/derivatives.h"
#include "parfait/tree/algorithms/row_solver.h"
#include "parfait/tree/contacts/contact_set.h"

/// Motion with contacts closed:
///
///   [ H  -G^T ] [ vdot   ]   [ tau - c ]
///   [ G    0  ] [ lambda ] = [ gamma   ],    gamma = -G' v - 2 alpha g' - beta^2 (g - value)   (T34)
///
/// Rows that others imply are found by the rank of G and left out; accelerations do not depend on
/// which, and of all forces with this effect those of least norm are given.
namespace parfait::tree {

enum class ContactMethod : std::uint8_t {
  kRangeSpace,  ///< A = G H^-1 G^T with the sparse factors of H: the fast one, allocates nothing
  kDirect,      ///< the matrix of (T34) as it is, dense
  kNullSpace,   ///< accelerations in an orthonormal basis beside the rows, dense
  kKokkevis,    ///< unit forces tried one after the other on articulated bodies; plain trees
};
const char* text(ContactMethod method);

struct ContactOptions {
  ContactMethod method = ContactMethod::kRangeSpace;
  double alpha = 0, beta = 0;     ///< Baumgarte's [1/s]; 0: none
  double rank_tolerance = 1e-10;  ///< of a pivot of A, relative to the row's own size
};

class ContactWorkspace {
 public:
  ContactWorkspace(const Tree& tree, const ContactSet& set);

  std::vector<double> lambda;  ///< force of every row of the view, on the model
  std::vector<double> impulse;
  int rank = 0;                ///< of the rows of the view
  std::vector<int> redundant;  ///< rows of the view that others imply

  // Scratch.
  RowSolver solver;
  std::vector<double> gamma, x;
  std::vector<Force<math::Dual>> wrenches;
  std::vector<math::Lane> gamma_lanes, x_lanes;
  std::vector<double> combinations, normal;
};

/// g - value (0 for rolling), g' and, for given vdot (empty: zero), g'' of the rows of a view.
void contact_positions(const Tree& tree, const ContactSet& set, const ContactView& view, ConstVec q,
                       Workspace& ws, Vec g);
void contact_velocities(const Tree& tree, const ContactSet& set, const ContactView& view,
                        ConstVec q, ConstVec v, Workspace& ws, Vec gdot);
void contact_accelerations(const Tree& tree, const ContactSet& set, const ContactView& view,
                           ConstVec q, ConstVec v, ConstVec vdot, Workspace& ws, Vec gddot);
/// G, one row of nv numbers after the other.
void contact_jacobian(const Tree& tree, const ContactSet& set, const ContactView& view, ConstVec q,
                      Workspace& ws, Vec G);

/// vdot and the forces (in `room`) with the contacts of the view closed.
void forward_dynamics_with_contacts(const Tree& tree, const ContactSet& set,
                                    const ContactView& view, ConstVec q, ConstVec v, ConstVec tau,
                                    const ContactOptions& options, Workspace& ws,
                                    ContactWorkspace& room, Vec vdot);

/// Velocities after the contacts of the view close at once: G v+ = -e G v-, by impulses (in
/// `room`) along the rows.
void contact_impulses(const Tree& tree, const ContactSet& set, const ContactView& view, ConstVec q,
                      ConstVec v, const ContactOptions& options, Workspace& ws,
                      ContactWorkspace& room, Vec v_after);

/// Directions of vdot (nv lanes) and of the forces (rows of the view) at the point of the last
/// forward_dynamics_with_contacts() by the range-space method, for the directions of q, v in
/// `lanes` (lanes.q, lanes.v), of tau (null: zero) and of the constants bound there.
void contact_dynamics_directions(const Tree& tree, const ContactSet& set, const ContactView& view,
                                 ConstVec vdot, const ContactOptions& options,
                                 const math::Lane* dtau, ContactWorkspace& room,
                                 DirectionWorkspace& lanes, math::Lane* dvdot, math::Lane* dlambda);

}  // namespace parfait::tree
