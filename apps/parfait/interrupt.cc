#include "interrupt.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "command.h"

namespace parfait::app {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t asks = 0;       ///< a signal asks; otherwise it ends
volatile std::sig_atomic_t asked_for = 0;  ///< it was asked

void on_signal(int) {
  if (asks == 0) {
    constexpr std::string_view kWords = "parfait: interrupted; nothing was written\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kWords.data(), kWords.size());
    ::_exit(kNotFinished);
  }
  asked_for = 1;
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

}  // namespace

void install_interrupts() {
  for (const int signal : kSignals) {
    struct sigaction old {};
    if (::sigaction(signal, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    // One after the other: the second finds what the first has left, and ends the program.
    for (const int other : kSignals) sigaddset(&action.sa_mask, other);
    ::sigaction(signal, &action, nullptr);
  }
}

void InterruptWatch::begin() {
  asks = 1;
}

bool InterruptWatch::requested() {
  return asked_for != 0;
}

}  // namespace parfait::app
