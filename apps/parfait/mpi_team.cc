#include "mpi_team.h"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

namespace parfait::app {
namespace {

/// Each launcher tells its children that they are not alone.
bool is_under_mpirun() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

}  // namespace

void MpiTeam::exchange(std::vector<std::vector<double>>& parts) {
  if (size_ == 1) return;
  const auto n = static_cast<int>(parts.size());
  std::vector<std::int64_t> sizes(parts.size(), 0);
  std::vector<double> mine;
  for (int e = 0; e < n; ++e) {
    if (!owns(e)) continue;
    const auto& part = parts[static_cast<std::size_t>(e)];
    sizes[static_cast<std::size_t>(e)] = static_cast<std::int64_t>(part.size());
    mine.insert(mine.end(), part.begin(), part.end());
  }
  MPI_Allreduce(MPI_IN_PLACE, sizes.data(), n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);

  std::vector<int> counts(static_cast<std::size_t>(size_), 0);
  for (int e = 0; e < n; ++e) {
    counts[static_cast<std::size_t>(e % size_)] +=
        static_cast<int>(sizes[static_cast<std::size_t>(e)]);
  }
  std::vector<int> offsets(counts.size(), 0);
  for (std::size_t r = 1; r < counts.size(); ++r) offsets[r] = offsets[r - 1] + counts[r - 1];
  std::vector<double> all(static_cast<std::size_t>(offsets.back() + counts.back()));
  MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, all.data(), counts.data(),
                 offsets.data(), MPI_DOUBLE, MPI_COMM_WORLD);

  // The parts of a process follow each other in the order of the experiments.
  std::vector<double*> at;
  at.reserve(offsets.size());
  for (const int offset : offsets) at.push_back(all.data() + offset);
  for (int e = 0; e < n; ++e) {
    double*& from = at[static_cast<std::size_t>(e % size_)];
    const auto size = sizes[static_cast<std::size_t>(e)];
    parts[static_cast<std::size_t>(e)].assign(from, from + size);
    from += size;
  }
}

bool MpiTeam::any(bool mine) {
  if (size_ == 1) return mine;
  int flag = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &flag, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return flag != 0;
}

struct MpiSession::Mpi {
  MPI_Comm failures = MPI_COMM_NULL;  ///< where processes meet that have failed
  Mpi() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &failures);
  }
  ~Mpi() {
    MPI_Comm_free(&failures);
    MPI_Finalize();
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  /// Whether all the others have failed, too, within a few seconds.
  bool all_failed() const {
    constexpr auto kPatience = std::chrono::seconds(5);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(failures, &request);
    const auto begin = std::chrono::steady_clock::now();
    int done = 0;
    while (done == 0) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done == 0 && std::chrono::steady_clock::now() - begin > kPatience) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
};

MpiSession::MpiSession() {
  if (!is_under_mpirun()) return;
  mpi_ = std::make_unique<Mpi>();
  MPI_Comm_rank(MPI_COMM_WORLD, &team_.rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &team_.size_);
}

MpiSession::~MpiSession() = default;

void MpiSession::together(const std::function<void()>& work) {
  if (team_.size() == 1) {
    work();
    return;
  }
  try {
    work();
  } catch (const std::exception& error) {
    if (!mpi_->all_failed()) {
      constexpr int kExitCode = 2;
      std::fprintf(stderr, "process %d: %s\n", team_.rank(), error.what());
      MPI_Abort(MPI_COMM_WORLD, kExitCode);
    }
    if (team_.rank() == 0) throw;
    throw ToldByOther{};
  }
}

}  // namespace parfait::app
