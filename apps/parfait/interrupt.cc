#include "interrupt.h"

#include <csignal>

namespace parfait::app {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  interrupted = 0;
  std::signal(SIGINT, on_interrupt);
}

InterruptWatch::~InterruptWatch() {
  std::signal(SIGINT, SIG_DFL);
}

bool InterruptWatch::requested() const {
  return interrupted != 0;
}

}  // namespace parfait::app
