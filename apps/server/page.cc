#include "server/page.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "parfait/base/error.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every libc declares it

namespace parfait::serve {

std::string viewer_page() {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Parfait</title>\n"
         "<link rel=\"icon\" href=\"data:,\">\n"
         "<link rel=\"stylesheet\" href=\"/parfait.css\">\n</head>\n<body class=\"viewer\">\n"
         "<noscript><p>The viewer needs JavaScript; the report of a run does not.</p></noscript>\n"
         "<script src=\"/parfait.js\"></script>\n</body>\n</html>\n";
}

std::string opening_page() {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta http-equiv=\"refresh\" content=\"0;url=/\"><link rel=\"icon\" "
         "href=\"data:,\"><title>Parfait</title></head>"
         "<body><a href=\"/\">Parfait</a></body></html>\n";
}

OpeningFile::OpeningFile(const std::string& address) {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const std::string base = runtime && std::filesystem::is_directory(runtime)
                               ? runtime
                               : std::filesystem::temp_directory_path().string();
  folder_ = base + "/parfait-view-XXXXXX";
  if (::mkdtemp(folder_.data()) == nullptr) {  // readable for the user alone
    throw base::InputError(fmt::format("no folder could be made in \"{}\".", base));
  }
  path_ = folder_ + "/open.html";
  const std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"referrer\" "
      "content=\"no-referrer\"><meta http-equiv=\"refresh\" content=\"0;url={0}\">"
      "<title>Parfait</title></head><body><a href=\"{0}\">Parfait</a></body></html>\n",
      address);
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 || ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw base::InputError(fmt::format("\"{}\" cannot be written.", path_));
  }
  ::close(file);
}

OpeningFile::~OpeningFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

bool open_in_browser(const std::string& file) {
  const bool desktop = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
  if (!desktop) return false;
  std::string program = "xdg-open", argument = file;
  char* const arguments[] = {program.data(), argument.data(), nullptr};
  // Signals are blocked here (view.cc); a browser needs them.
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  if (::posix_spawnattr_init(&attributes) != 0) return false;
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, program.c_str(), nullptr, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) return false;
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace parfait::serve
