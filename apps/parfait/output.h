#pragma once

namespace parfait::app {

/// From here on nothing that happens to standard output or standard error (a reader that went away,
/// a full disk, a terminal that was closed) stops or kills the work: what cannot be written is
/// dropped, and output_error() tells. Early in main.
void guard_output();

/// Writes out what is buffered. The first error on standard output, as errno; 0: none.
int output_error();

}  // namespace parfait::app
