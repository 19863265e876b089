#include "tc/tools/bench/limit_isa.h"

#include <cerrno>
#include <cstring>

#include "tc/ir/diag.h"

#if defined(__linux__) && defined(__x86_64__)
#include <asm/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <string>
#endif

namespace tc::bench {

#if defined(__linux__) && defined(__x86_64__)
namespace {

using kernels::Tier;

constexpr unsigned bits(std::initializer_list<int> numbers) {
  unsigned word = 0;
  for (const int n : numbers) word |= 1u << n;
  return word;
}

// Feature bits of one leaf that tiers below `tier` do not have.
struct Hidden {
  Tier tier;
  unsigned leaf, subleaf;
  unsigned eax, ebx, ecx, edx;
};

constexpr Hidden kHidden[] = {
    // AVX, F16C, FMA; AVX2, and the vector forms of AES.
    {Tier::avx2, 1, 0, 0, 0, bits({12, 28, 29}), 0},
    {Tier::avx2, 7, 0, 0, bits({5}), bits({9, 10}), 0},
    // AVX-512; AVX-VNNI, AVX-IFMA and others of 256 bits that came after it.
    {Tier::avx512, 7, 0, 0, bits({16, 17, 21, 26, 27, 28, 30, 31}), bits({1, 6, 11, 12, 14}), bits({2, 3, 8, 23})},
    {Tier::avx512, 7, 1, bits({4, 5, 23}), 0, 0, bits({4, 5, 10, 19})},
    {Tier::amx, 7, 0, 0, 0, 0, bits({22, 24, 25})},
    {Tier::amx, 7, 1, bits({21}), 0, 0, bits({8})},
};

Tier seen = Tier::amx;

long trap_cpuid(bool trap) {
  const unsigned long allowed = trap ? 0 : 1;
  return syscall(SYS_arch_prctl, ARCH_SET_CPUID, allowed);
}

void on_fault(int, siginfo_t*, void* context) {
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  if (code[0] != 0x0f || code[1] != 0xa2) {  // not CPUID: the instruction faults again, as it would have
    ::signal(SIGSEGV, SIG_DFL);
    return;
  }
  const auto leaf = static_cast<unsigned>(registers[REG_RAX]), subleaf = static_cast<unsigned>(registers[REG_RCX]);
  unsigned eax = leaf, ebx = 0, ecx = subleaf, edx = 0;
  trap_cpuid(false);
  __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
  trap_cpuid(true);
  for (const Hidden& h : kHidden) {
    if (seen >= h.tier || leaf != h.leaf || (leaf == 7 && subleaf != h.subleaf)) continue;
    eax &= ~h.eax, ebx &= ~h.ebx, ecx &= ~h.ecx, edx &= ~h.edx;
  }
  registers[REG_RAX] = eax, registers[REG_RBX] = ebx, registers[REG_RCX] = ecx, registers[REG_RDX] = edx;
  registers[REG_RIP] += 2;
}

}  // namespace

void limit_isa(kernels::Tier tier) {
  seen = tier;
  // The C library chose its functions before this, and does so anew in the programs that this one starts.
  const std::string left_out = tier < Tier::avx2 ? "-AVX,-AVX2,-FMA,-AVX512F" : "-AVX512F";
  if (tier < Tier::avx512)
    setenv("GLIBC_TUNABLES", ("glibc.cpu.hwcaps=" + left_out + ",-AVX512VL,-AVX512BW").c_str(), 1);
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  if (sigaction(SIGSEGV, &action, nullptr) != 0 || trap_cpuid(true) != 0)
    fail(ErrorCode::unsupported, "--isa: this machine does not let CPUID be trapped: ", std::strerror(errno));
}
#else
void limit_isa(kernels::Tier) {
  fail(ErrorCode::unsupported, "--isa needs Linux on x86-64");
}
#endif

}  // namespace tc::bench
