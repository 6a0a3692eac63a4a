#include "parfait/run/job/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>
#include <system_error>

#include "parfait/base/error.h"
#include "parfait/io/results/result_json.h"
#include "parfait/io/text/text_file.h"

namespace parfait::run {
namespace fs = std::filesystem;
namespace run_folder {
namespace {

/// Without a slash at its end: "run/" means "run". A link to a folder means the folder.
fs::path normal(const fs::path& target) {
  std::error_code ignored;
  fs::path path = fs::absolute(target).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (fs::is_symlink(path, ignored) && fs::is_directory(path, ignored)) path = fs::canonical(path);
  return path;
}

/// ".name.kind-" beside the target: same file system, so that it can be renamed.
std::string hidden_prefix(const fs::path& target, const char* kind) {
  return "." + target.filename().string() + "." + kind + "-";
}

fs::path hidden(const fs::path& target, const char* kind) {
  return target.parent_path() / (hidden_prefix(target, kind) + std::to_string(getpid()));
}

[[noreturn]] void fail(const fs::path& path, const char* what, int error) {
  throw base::InputError(fmt::format("cannot {} \"{}\": {}.", what, path.string(),
                                     std::generic_category().message(error)));
}

/// A file in a result folder that the result does not list: its path in the folder. None: all that
/// is there is ours.
std::optional<fs::path> foreign_file(const fs::path& folder) {
  const auto listed = io::files_of_result(folder);
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error)) {
    if (error) break;
    const fs::path name = it->path().lexically_relative(folder);
    if (it->is_symlink()) return name;
    if (it->is_directory()) {
      // A folder is ours if something in it is listed.
      const std::string inside = name.generic_string() + "/";
      const bool ours = std::ranges::any_of(
          listed, [&](const std::string& file) { return file.starts_with(inside); });
      if (!ours) return name;
      continue;
    }
    if (!it->is_regular_file() || !std::ranges::binary_search(listed, name.generic_string())) {
      return name;
    }
  }
  if (error) fail(folder, "look into", error.value());
  return std::nullopt;
}

/// Removes a folder with everything in it, result.json last: as long as something of a result is
/// there, it says what belongs to it. Links are removed, not followed.
void remove_folder(const fs::path& folder) {
  std::vector<fs::path> files, folders = {folder};
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error)) {
    const bool is_folder = it->is_directory() && !it->is_symlink();
    (is_folder ? folders : files).push_back(it->path());
  }
  const auto last = std::ranges::find(files, folder / "result.json");
  if (last != files.end()) std::iter_swap(last, files.end() - 1);
  for (const auto& file : files) ::unlink(file.c_str());
  for (auto it = folders.rbegin(); it != folders.rend(); ++it) ::rmdir(it->c_str());
}

/// The first of name-2, name-3, ... that is free, taken by `from`.
fs::path move_to_free_name(const fs::path& from, const fs::path& name) {
  for (int i = 2;; ++i) {
    fs::path to = name.string() + "-" + std::to_string(i);
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return to;
    if (errno == EEXIST) continue;
    // A file system without RENAME_NOREPLACE.
    if (errno != EINVAL || fs::exists(to)) fail(to, "write", errno);
    if (::rename(from.c_str(), to.c_str()) != 0) fail(to, "write", errno);
    return to;
  }
}

/// The process of a hidden folder has ended.
bool is_dead(const std::string& name) {
  const auto dash = name.rfind('-');
  const long pid = std::strtol(name.c_str() + dash + 1, nullptr, 10);
  return pid <= 0 || (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH);
}

/// Hidden siblings of a kind that a dead process has left.
std::vector<fs::path> stale(const fs::path& target, const char* kind, bool has_lock) {
  std::vector<fs::path> found;
  std::error_code ignored;
  const std::string prefix = hidden_prefix(target, kind);
  for (const auto& entry : fs::directory_iterator(target.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && entry.is_directory() && (has_lock || is_dead(name))) {
      found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

/// What an earlier run was killed at is brought to its end. Where two folders cannot be exchanged,
/// the old result may be hidden and the new one not yet in its place: the old one comes back.
void recover(const fs::path& target, bool has_lock) {
  for (const auto& old : stale(target, "old", has_lock)) {
    if (!fs::exists(target)) {
      fs::rename(old, target);
    } else {
      remove_folder(old);
    }
  }
  for (const auto& partial : stale(target, "partial", has_lock)) {
    // Killed between the exchange and the removal it is an old result, and may hold a file that
    // somebody put there at the last moment.
    if (io::is_result_folder(partial) && foreign_file(partial)) {
      move_to_free_name(partial, target);
    } else {
      remove_folder(partial);
    }
  }
}

/// The lock, or -1 if another process has it. `works`: whether the file system has locks.
int lock(const fs::path& file, bool& works) {
  works = true;
  for (;;) {
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) fail(file, "write", errno);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      works = errno != EWOULDBLOCK;
      if (works) {
        works = false;
        return fd;
      }
      works = true;
      ::close(fd);
      return -1;
    }
    // Whoever had it may have removed the file between our open and our lock.
    struct stat here {
    }, there{};
    if (::fstat(fd, &here) == 0 && ::stat(file.c_str(), &there) == 0 &&
        here.st_ino == there.st_ino) {
      return fd;
    }
    ::close(fd);
  }
}

}  // namespace
}  // namespace run_folder

void check_replaceable(const fs::path& target) {
  const fs::path path = run_folder::normal(target);
  const auto refuse = [&](const std::string& why) {
    throw base::InputError(fmt::format("--out {}: {} Choose another folder{}", target.string(), why,
                                       fs::is_directory(path) ? " or remove this one." : "."));
  };
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) return;
  if (!fs::is_directory(path)) refuse("is a file, so it is not replaced.");
  std::string here = fs::current_path(ignored).string() + "/";
  if (here.starts_with(path.string() + "/")) {
    refuse("is the folder you are in, or above it, so it is not replaced.");
  }
  if (fs::is_empty(path)) return;
  if (!io::is_result_folder(path)) {
    refuse("exists and holds no result.json of parfait, so it is not replaced.");
  }
  if (const auto foreign = run_folder::foreign_file(path)) {
    refuse(
        fmt::format("holds \"{}\", which is not part of the result there, so it is not replaced.",
                    foreign->string()));
  }
}

FolderClaim::FolderClaim(const fs::path& target) : target_(run_folder::normal(target)) {
  check_replaceable(target);
  const fs::path parent = target_.parent_path();
  for (fs::path above = parent; !fs::exists(above); above = above.parent_path()) {
    made_.push_back(above);
  }
  try {
    fs::create_directories(parent);
    lock_file_ = parent / ("." + target_.filename().string() + ".lock");
    bool works = false;
    lock_ = run_folder::lock(lock_file_, works);
    if (lock_ < 0) {
      throw base::InputError(fmt::format(
          "--out {}: another run of parfait is writing there. Choose another folder, or wait.",
          target.string()));
    }
    run_folder::recover(target_, works);
    check_replaceable(target);  // it may have come back
  } catch (...) {
    release();
    throw;
  }
}

FolderClaim::~FolderClaim() {
  release();
}

void FolderClaim::release() {
  if (lock_ >= 0) {
    ::unlink(lock_file_.c_str());
    ::close(lock_);
  }
  for (const auto& above : made_) ::rmdir(above.c_str());  // fails where the result is
}

RunFolder::RunFolder(const fs::path& target, std::shared_ptr<FolderClaim> claim)
    : claim_(std::move(claim)) {
  if (!claim_ || claim_->target() != run_folder::normal(target)) {
    claim_ = std::make_shared<FolderClaim>(target);
  }
  staging_ = run_folder::hidden(claim_->target(), "partial");
}

RunFolder::~RunFolder() {
  if (!staging_.empty()) run_folder::remove_folder(staging_);
}

void RunFolder::write(const std::string& name, std::string_view text) {
  fs::create_directories((staging_ / name).parent_path());
  io::write_text_file(staging_ / name, text);
  names_.insert(fs::path(name).lexically_normal().generic_string());
}

std::vector<std::string> RunFolder::outputs(const std::vector<std::string>& more) const {
  std::set<std::string> all = names_;
  all.insert(more.begin(), more.end());
  return {all.begin(), all.end()};
}

fs::path RunFolder::commit() {
  const fs::path staging = std::exchange(staging_, {});
  const fs::path& target = claim_->target();
  const auto release = [&](const fs::path& where) {
    fs::path result = where;  // NOLINT(performance-unnecessary-copy-initialization): `where` may
                              // belong to the claim
    claim_.reset();
    return result;
  };
  const auto beside = [&] { return release(run_folder::move_to_free_name(staging, target)); };
  const auto rename = [](const fs::path& from, const fs::path& to, unsigned flags) {
    return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0;
  };
  try {
    check_replaceable(target);
  } catch (const base::InputError&) {
    return beside();
  }
  if (!fs::exists(target)) {
    if (rename(staging, target, RENAME_NOREPLACE)) return release(target);
    if (errno == EEXIST) return beside();
    if (errno != EINVAL) {
      staging_ = staging;
      run_folder::fail(target, "write", errno);
    }
    fs::rename(staging, target);
    return release(target);
  }
  fs::path old = staging;
  if (!rename(staging, target, RENAME_EXCHANGE)) {
    if (errno != EINVAL && errno != ENOSYS) {
      staging_ = staging;
      run_folder::fail(target, "replace", errno);
    }
    // A file system without: the old result is hidden for a moment; recover() knows.
    old = run_folder::hidden(target, "old");
    fs::rename(target, old);
    fs::rename(staging, target);
  }
  // Somebody may have put a file there since it was looked at: then everything goes back.
  if (run_folder::foreign_file(old)) {
    if (old == staging && rename(staging, target, RENAME_EXCHANGE)) return beside();
    const fs::path moved = run_folder::move_to_free_name(target, target);
    fs::rename(old, target);
    return release(moved);
  }
  run_folder::remove_folder(old);
  return release(target);
}

}  // namespace parfait::run
