// What else compiled code asks for.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

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

// Digits that are asked for by their count, for std::to_chars. The C++ library has tables of 100 kB for them; the C
// library's way, which is exact as well, is linked anyway.
namespace {
std::to_chars_result spelled(const char* format, char* first, char* last, double x, uint32_t precision) {
  const int size = std::snprintf(nullptr, 0, format, static_cast<int>(precision), x);
  if (size < 0 || size > last - first) return {last, std::errc::value_too_large};
  std::string text(static_cast<size_t>(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), format, static_cast<int>(precision), x);
  std::memcpy(first, text.data(), static_cast<size_t>(size));
  return {first + size, std::errc()};
}
// The last `count` digits.
void put_digits(uint32_t count, uint32_t number, char* to) {
  for (; count > 0; number /= 10) to[--count] = static_cast<char>('0' + number % 10);
}
}  // namespace

_LIBCPP_BEGIN_NAMESPACE_STD
to_chars_result __d2fixed_buffered_n(char* first, char* last, double x, uint32_t precision);
to_chars_result __d2exp_buffered_n(char* first, char* last, double x, uint32_t precision);
void __append_n_digits(uint32_t count, uint32_t number, char* to);
void __append_nine_digits(uint32_t number, char* to);

to_chars_result __d2fixed_buffered_n(char* first, char* last, double x, uint32_t precision) {
  return spelled("%.*f", first, last, x, precision);
}
to_chars_result __d2exp_buffered_n(char* first, char* last, double x, uint32_t precision) {
  return spelled("%.*e", first, last, x, precision);
}
void __append_n_digits(uint32_t count, uint32_t number, char* to) {
  put_digits(count, number, to);
}
void __append_nine_digits(uint32_t number, char* to) {
  put_digits(9, number, to);
}
_LIBCPP_END_NAMESPACE_STD
