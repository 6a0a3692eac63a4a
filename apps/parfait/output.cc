#include "output.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>

namespace parfait::app {
namespace {

int first_error = 0;  ///< of standard output

/// Everything, or as much as goes; never says that it failed, since fmt::print would throw in the
/// middle of the work.
ssize_t write_all(void* cookie, const char* bytes, std::size_t size) {
  const int fd = cookie == nullptr ? STDOUT_FILENO : STDERR_FILENO;
  std::size_t done = 0;
  while (done < size && (fd == STDERR_FILENO || first_error == 0)) {
    const ssize_t n = ::write(fd, bytes + done, size - done);
    if (n >= 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      if (fd == STDOUT_FILENO) first_error = errno;
      break;
    }
  }
  return static_cast<ssize_t>(size);
}

}  // namespace

void guard_output() {
  std::signal(SIGPIPE, SIG_IGN);
  static char is_error = 0;
  const cookie_io_functions_t functions = {
      .read = nullptr, .write = write_all, .seek = nullptr, .close = nullptr};
  if (FILE* out = fopencookie(nullptr, "w", functions)) {
    std::setvbuf(out, nullptr, isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF, 1 << 16);
    stdout = out;
  }
  if (FILE* error = fopencookie(&is_error, "w", functions)) {
    std::setvbuf(error, nullptr, _IONBF, 0);
    stderr = error;
  }
}

int output_error() {
  std::fflush(stdout);
  if (!std::cout.flush() && first_error == 0) first_error = EIO;
  return first_error;
}

}  // namespace parfait::app
