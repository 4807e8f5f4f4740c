// Signals that ask the whole program to end (Ctrl-C among them), as a count that its loops look at.
// Knows nothing of what is going on; who works long asks here, and who waits for children ends
// them.
#pragma once

namespace dsbuild {

/// While it lives, SIGINT, SIGTERM and SIGHUP are counted, from 0, instead of ending the process; a
/// third one ends it at once with 130, in case that nobody looks. A signal that is ignored when it
/// begins stays ignored (`nohup`, a shell's background jobs). One at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
};

/// How many have come; 0 where there is no watch.
int interrupts();

/// Throws Error(interrupted) once one has come.
void stop_if_interrupted();

}  // namespace dsbuild
