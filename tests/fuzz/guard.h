// Says which mutant was at work when the process dies or hangs.
#pragma once

#include <string>

namespace tc::fuzz {

// From now on a fatal signal, a sanitizer's report, or more than `cpu_seconds` of CPU time without another call ends
// the process with `label` on standard error.
void watch(const std::string& label, int cpu_seconds);
void unwatch();

// Slowed down by a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace tc::fuzz
