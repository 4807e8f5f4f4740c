// A file descriptor that closes itself. Knows nothing of what it is of.
#pragma once

#include <unistd.h>

namespace dsbuild {

class Descriptor {
 public:
  /// Takes it over; a negative number is none.
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

}  // namespace dsbuild
