#include "tc/kernels/cpu.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sched.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tc::kernels {
namespace {

#if defined(__x86_64__)
struct Leaf {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Leaf cpuid(unsigned leaf, unsigned sub = 0) {
  Leaf r;
  if (!__get_cpuid_count(leaf, sub, &r.eax, &r.ebx, &r.ecx, &r.edx)) return {};
  return r;
}

constexpr bool bit(unsigned word, int n) {
  return ((word >> n) & 1u) != 0;
}

// XCR0: which register states the operating system saves.
std::uint64_t enabled_states() {
  unsigned lo = 0, hi = 0;
  __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
  return (std::uint64_t{hi} << 32) | lo;
}

// Tiles are 8 KB of registers, which Linux saves for processes that have asked.
bool may_use_tiles(std::uint64_t states) {
  constexpr std::uint64_t kTileConfig = 1u << 17, kTileData = 1u << 18;
  if ((states & (kTileConfig | kTileData)) != (kTileConfig | kTileData)) return false;
#if defined(__linux__) && defined(SYS_arch_prctl)
  constexpr int kRequestPermission = 0x1023, kTileDataState = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileDataState) == 0;
#else
  return false;
#endif
}

void read_features(CpuInfo& info) {
  const Leaf one = cpuid(1);
  const Leaf seven = cpuid(7);
  const Leaf seven1 = seven.eax >= 1 ? cpuid(7, 1) : Leaf{};
  const std::uint64_t states = bit(one.ecx, 27) ? enabled_states() : 0;
  const bool ymm = (states & 0x06) == 0x06;
  const bool zmm = (states & 0xe6) == 0xe6;
  const bool lzcnt = bit(cpuid(0x80000001).ecx, 5);

  // x86-64-v3: AVX, F16C, FMA, MOVBE, AVX2, BMI1, BMI2, LZCNT. x86-64-v4 adds AVX-512 F, DQ, CD, BW, VL.
  const bool v3 = ymm && bit(one.ecx, 28) && bit(one.ecx, 29) && bit(one.ecx, 12) && bit(one.ecx, 22) &&
                  bit(seven.ebx, 5) && bit(seven.ebx, 3) && bit(seven.ebx, 8) && lzcnt;
  const bool v4 = v3 && zmm && bit(seven.ebx, 16) && bit(seven.ebx, 17) && bit(seven.ebx, 28) && bit(seven.ebx, 30) &&
                  bit(seven.ebx, 31);
  info.tier = v4 ? Tier::avx512 : v3 ? Tier::avx2 : Tier::sse42;
  info.amd = cpuid(0).ecx == 0x444d4163;  // "AuthenticAMD" ends so
  info.avx_vnni = v3 && bit(seven1.eax, 4);
  info.avx512_vnni = v4 && bit(seven.ecx, 11);
  info.avx512_bf16 = v4 && bit(seven1.eax, 5);
  const bool tiles = bit(seven.edx, 24) && bit(seven.edx, 25) && bit(seven.edx, 22);
  if (tiles && info.avx512_vnni && info.avx512_bf16 && may_use_tiles(states)) info.tier = Tier::amx;
}

void read_model(CpuInfo& info) {
  if (cpuid(0x80000000).eax < 0x80000004) return;
  char name[49] = {};
  for (unsigned i = 0; i < 3; ++i) {
    const Leaf part = cpuid(0x80000002 + i);
    std::memcpy(name + 16 * i, &part, 16);
  }
  std::string_view text(name);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  info.model = text;
}
#elif defined(__aarch64__)
void read_features(CpuInfo& info) {
  info.tier = Tier::neon;
#if defined(__linux__)
  constexpr unsigned long kDotProducts = 1ul << 20, kMatrixInt8 = 1ul << 13;  // HWCAP_ASIMDDP, HWCAP2_I8MM
  info.dotprod = (getauxval(AT_HWCAP) & kDotProducts) != 0;
  info.i8mm = info.dotprod && (getauxval(AT_HWCAP2) & kMatrixInt8) != 0;
#endif
}
void read_model(CpuInfo&) {}
#else
void read_features(CpuInfo&) {}
void read_model(CpuInfo&) {}
#endif

#if defined(__linux__)
// "48K", "2048K", "32M" as written by the kernel.
std::size_t parse_size(const std::string& text) {
  char* end = nullptr;
  const unsigned long long n = std::strtoull(text.c_str(), &end, 10);
  const std::size_t unit = *end == 'K' ? 1u << 10 : *end == 'M' ? 1u << 20 : 1;
  return static_cast<std::size_t>(n) * unit;
}

std::string read_word(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

void read_caches(CpuInfo& info) {
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  // The C library asks the processor, where the kernel of a virtual machine may know nothing.
  if (const long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE); bytes > 0) info.l1d_bytes = static_cast<std::size_t>(bytes);
  if (const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0) info.l2_bytes = static_cast<std::size_t>(bytes);
#endif
  for (int i = 0; i < 8; ++i) {
    const std::string dir = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const std::string type = read_word(dir + "type");
    if (type.empty()) break;
    if (type == "Instruction") continue;
    const std::size_t bytes = parse_size(read_word(dir + "size"));
    if (bytes == 0) continue;
    const std::string level = read_word(dir + "level");
    if (level == "1") info.l1d_bytes = bytes;
    if (level == "2") info.l2_bytes = bytes;
    if (level == "3") info.l3_bytes = bytes;
  }
}

int count_cores() {
  // The mask grows with the machine: 1024 CPUs first, then up to 64 times that.
  for (std::size_t cpus = 1024; cpus <= (1024u << 6); cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    const bool read = sched_getaffinity(0, bytes, set) == 0;
    const int count = read ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (read) return std::max(count, 1);
  }
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}
#else
void read_caches(CpuInfo&) {}
int count_cores() {
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}
#endif

CpuInfo read_all() {
  CpuInfo info;
  read_features(info);
  while (info.tier != Tier::portable && !is_built(info.tier))
    info.tier = static_cast<Tier>(static_cast<int>(info.tier) - 1);
  read_model(info);
  read_caches(info);
  info.cores = count_cores();
  return info;
}

}  // namespace

bool is_built(Tier tier) {
  switch (tier) {
    case Tier::portable:
      return TC_WITH_PORTABLE;
    case Tier::neon:
      return TC_WITH_NEON;
    case Tier::sse42:
      return TC_WITH_SSE42;
    case Tier::avx2:
      return TC_WITH_AVX2;
    case Tier::avx512:
    case Tier::amx:
      return TC_WITH_AVX512;
  }
  return false;
}

namespace {

std::vector<Tier> built_up_to(Tier most) {
  std::vector<Tier> tiers;
  for (int i = 0; i <= static_cast<int>(most); ++i) {
    if (is_built(static_cast<Tier>(i))) tiers.push_back(static_cast<Tier>(i));
  }
  return tiers;
}

}  // namespace

std::vector<std::string> tier_names() {
  std::vector<std::string> names;
  for (const Tier tier : built_up_to(Tier::amx)) names.emplace_back(tier_name(tier));
  return names;
}

std::optional<Tier> parse_tier(std::string_view name) {
  for (int i = 0; i < kTierCount; ++i) {
    const Tier tier = static_cast<Tier>(i);
    if (name == tier_name(tier) && is_built(tier)) return tier;
  }
  return std::nullopt;
}

std::vector<Tier> usable_tiers() {
  return built_up_to(cpu_info().tier);
}

const CpuInfo& cpu_info() {
  static const CpuInfo info = read_all();
  return info;
}

Tier active_tier() {
  static const Tier tier = [] {
    const char* cap = std::getenv("TC_ISA");
    const std::optional<Tier> wanted = cap != nullptr ? parse_tier(cap) : std::nullopt;
    return std::min(cpu_info().tier, wanted.value_or(cpu_info().tier));
  }();
  return tier;
}

}  // namespace tc::kernels
