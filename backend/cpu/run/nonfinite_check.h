// A check that runs stop at the first step that gives a NaN or an infinity, and name it. For as long as a Scope lives,
// runs of its thread are checked; the environment variable TC_CHECK=finite has all of them checked.
#pragma once

namespace tc::cpu {

class Frame;

class NonFiniteCheck {
 public:
  class Scope {
   public:
    explicit Scope(bool on);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    bool outer_;
  };
  static bool enabled();
  // The arguments of a program, before its first step. Error check_failed, which names the input.
  static void inputs(const Frame& f);
  // What step `step` wrote. Error check_failed at its node.
  static void after(const Frame& f, int step);
};

}  // namespace tc::cpu
