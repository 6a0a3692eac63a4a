// Preloaded into the tool (LD_PRELOAD), counts what it does to files below FAULT_ROOT and makes
// operation number FAULT_AT go wrong:
//
//   FAULT_KIND=kill   the process ends before the operation, as by kill -9
//   FAULT_KIND=half   a write ends half-way, then the process ends; other operations: as kill
//   FAULT_KIND=full   the disk is full from this operation on: ENOSPC for what would need room
//
// FAULT_NO_EXCHANGE: the file system has neither RENAME_EXCHANGE nor RENAME_NOREPLACE.
// FAULT_LOG: a file that gets a line for each operation.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace {

std::atomic<int> count{0};

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool is_below_root(const char* path) {
  const char* const root = getenv("FAULT_ROOT");
  return root != nullptr && path != nullptr && strncmp(path, root, strlen(root)) == 0;
}

bool is_kind(const char* kind) {
  const char* const asked = getenv("FAULT_KIND");
  return asked != nullptr && strcmp(asked, kind) == 0;
}

void log(const char* what, const char* path, int number) {
  const char* const file = getenv("FAULT_LOG");
  if (file == nullptr) return;
  const int fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0666);
  char line[PATH_MAX + 64];
  const int size = snprintf(line, sizeof line, "%d %s %s\n", number, what, path);
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (fd >= 0 && real(fd, line, static_cast<size_t>(size)) >= 0) close(fd);
}

/// Counts an operation. True: it is to fail for want of room.
bool fails(const char* what, const char* path, bool needs_room) {
  if (!is_below_root(path)) return false;
  const int number = ++count;
  log(what, path, number);
  const char* const at = getenv("FAULT_AT");
  if (at == nullptr || number < atoi(at)) return false;
  if (is_kind("full")) {
    if (needs_room) errno = ENOSPC;
    return needs_room;
  }
  if (number == atoi(at)) kill(getpid(), SIGKILL);
  return false;
}

/// The file of a descriptor.
const char* path_of(int fd, char* buffer) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, buffer, PATH_MAX);
  if (size < 0) return nullptr;
  buffer[size] = 0;
  return buffer;
}

/// The first half of what is written, where only that arrives.
void write_half(int fd, const void* bytes, size_t size) {
  char buffer[PATH_MAX + 1];
  const char* const at = getenv("FAULT_AT");
  if (!is_kind("half") || at == nullptr || count + 1 != atoi(at)) return;
  if (!is_below_root(path_of(fd, buffer))) return;
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (real(fd, bytes, size / 2) >= 0) kill(getpid(), SIGKILL);
}

}  // namespace

extern "C" {

ssize_t write(int fd, const void* bytes, size_t size) {
  char buffer[PATH_MAX + 1];
  write_half(fd, bytes, size);
  if (fails("write", path_of(fd, buffer), true)) return -1;
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  return real(fd, bytes, size);
}

ssize_t writev(int fd, const struct iovec* parts, int num_parts) {
  char buffer[PATH_MAX + 1];
  if (num_parts > 0) write_half(fd, parts[num_parts - 1].iov_base, parts[num_parts - 1].iov_len);
  if (fails("write", path_of(fd, buffer), true)) return -1;
  static const auto real = next<ssize_t (*)(int, const struct iovec*, int)>("writev");
  return real(fd, parts, num_parts);
}

int mkdir(const char* path, mode_t mode) {
  if (fails("mkdir", path, true)) return -1;
  return next<int (*)(const char*, mode_t)>("mkdir")(path, mode);
}

int rename(const char* from, const char* to) {
  if (fails("rename", from, false)) return -1;
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (getenv("FAULT_NO_EXCHANGE") != nullptr) {
    errno = EINVAL;
    return -1;
  }
  if (fails((flags & RENAME_EXCHANGE) != 0 ? "exchange" : "rename", from, false)) return -1;
  return next<int (*)(int, const char*, int, const char*, unsigned)>("renameat2")(
      from_folder, from, to_folder, to, flags);
}

int unlink(const char* path) {
  if (fails("unlink", path, false)) return -1;
  return next<int (*)(const char*)>("unlink")(path);
}

int rmdir(const char* path) {
  if (fails("rmdir", path, false)) return -1;
  return next<int (*)(const char*)>("rmdir")(path);
}

FILE* fopen64(const char* path, const char* mode) {
  if (mode[0] != 'r' && fails("create", path, true)) return nullptr;
  return next<FILE* (*)(const char*, const char*)>("fopen64")(path, mode);
}

FILE* fopen(const char* path, const char* mode) {
  if (mode[0] != 'r' && fails("create", path, true)) return nullptr;
  return next<FILE* (*)(const char*, const char*)>("fopen")(path, mode);
}

}  // extern "C"
