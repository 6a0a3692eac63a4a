#pragma once

namespace parfait::app {

/// From here on Ctrl-C, SIGTERM and SIGHUP end the program at once, with a word and exit code 1: as
/// long as nothing is computed there is nothing to keep. Signals that were ignored (nohup) stay
/// ignored. The first thing of main.
void install_interrupts();

/// Once begin() is called the first of these signals asks instead of ends: work in steps and stop
/// when requested(). The second ends the program at once.
/// Signals go on asking after the work: what comes then is short, and the result is written.
struct InterruptWatch {
  /// Everything is read, the work begins: a result can be kept.
  static void begin();
  static bool requested();
};

}  // namespace parfait::app
