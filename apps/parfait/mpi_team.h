#pragma once

#include <functional>
#include <memory>

#include "parfait/estimate/experiment/team.h"

namespace parfait::app {

/// The processes that `mpirun` started, or one alone.
class MpiTeam : public estimate::Team {
 public:
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void exchange(std::vector<std::vector<double>>& parts) override;
  bool any(bool mine) override;

 private:
  friend class MpiSession;
  int rank_ = 0, size_ = 1;
};

/// MPI while it lives, if mpirun started this process; otherwise MPI is never touched.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  MpiTeam& team() { return team_; }

  /// What all processes do together. An exception that all of them meet (they read the same input)
  /// goes on, in silence where it is not the first process; one that others do not meet would leave
  /// them waiting, and ends all with its message.
  void together(const std::function<void()>& work);

 private:
  struct Mpi;
  std::unique_ptr<Mpi> mpi_;  ///< null: alone
  MpiTeam team_;
};

/// Thrown in place of an exception that the first process tells about.
struct ToldByOther {};

}  // namespace parfait::app
