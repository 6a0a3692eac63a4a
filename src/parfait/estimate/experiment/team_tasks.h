#pragma once

#include <functional>
#include <vector>

#include "parfait/estimate/experiment/team.h"

namespace parfait::estimate {

/// Independent pieces of work on the threads of this process and on the processes of a team: piece
/// i is done by its owner, and the numbers it leaves in its own list arrive everywhere. What comes
/// out depends on i alone, never on who did it or when. A piece may use threads itself; it must not
/// speak to the team.
using Task = std::function<void(int i, std::vector<double>& numbers)>;
std::vector<std::vector<double>> do_tasks(Team& team, int count, const Task& task);

}  // namespace parfait::estimate
