// Says which mutant was at work when the process dies or hangs.
#pragma once

#include <algorithm>
#include <string>

#include "tc/ir/diag.h"

namespace tc::fuzz {

// Is it the library's own fault? A graph that breaks inside of a pass was whole before it.
inline bool breaks_promise(const Error& e) {
  const auto& context = e.diagnostic().context;
  const bool in_pass =
      std::any_of(context.begin(), context.end(), [](const auto& c) { return c.starts_with("pass "); });
  return e.code() == ErrorCode::internal || (in_pass && e.code() == ErrorCode::bad_graph);
}

// From now on a fatal signal, a sanitizer's report, or more than `cpu_seconds` of CPU time without another call ends
// the process with `label` on standard error.
void watch(const std::string& label, int cpu_seconds);
void unwatch();

// How g++ and clang say that AddressSanitizer or ThreadSanitizer is on.
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define TC_ADDRESS_SANITIZER
#endif

// Slowed down by a sanitizer.
#if defined(TC_ADDRESS_SANITIZER) || defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace tc::fuzz
