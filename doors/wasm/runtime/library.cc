// What else compiled code asks for.
#include <cstdint>
#include <cstdlib>

extern "C" {

// Debian's compiler library is built with stack protection.
uintptr_t __stack_chk_guard = 0x9e3779b9;
[[noreturn]] void __stack_chk_fail() {
  std::abort();
}

// At the end of a thread, of which there is one, which ends with its memory.
int __cxa_thread_atexit(void* (*)(void*), void*, void*) {
  return 0;
}

}  // extern "C"
