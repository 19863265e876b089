#include "guard.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstring>

#ifdef TC_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace tc::fuzz {
namespace {

char current[512];

void say(const char* what) {
  for (const char* text : {"\n", what, ": ", static_cast<const char*>(current), "\n"})
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

void on_signal(int signal) {
  say(signal == SIGVTALRM ? "no end" : "crash");
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void install() {
  ::signal(SIGVTALRM, on_signal);
#ifdef TC_ADDRESS_SANITIZER
  __sanitizer_set_death_callback([] { say("report"); });
#else
  for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(s, on_signal);
#endif
}

void set_timer(int seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

}  // namespace

void watch(const std::string& label, int cpu_seconds) {
  static const bool installed = (install(), true);
  (void)installed;
  std::strncpy(current, label.c_str(), sizeof current - 1);
  set_timer(cpu_seconds);
}

void unwatch() {
  set_timer(0);
}

}  // namespace tc::fuzz

#ifdef TC_ADDRESS_SANITIZER
// Nothing here has a reason to ask for more at once; without a cap a huge request would simply succeed.
extern "C" const char* __asan_default_options();
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return "max_allocation_size_mb=2048";
}
#endif
