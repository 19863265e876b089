#include "tc/kernels/parallel.h"

#include <cstdlib>
#include <new>

#include "tc/kernels/cpu.h"
#include "tc/kernels/stop.h"

#if defined(TC_PARALLEL_OPENMP)
#define TC_PARALLEL_THREADS 1
#include <omp.h>
#elif defined(TC_PARALLEL_STD)
#define TC_PARALLEL_THREADS 1
#endif

#if defined(TC_PARALLEL_THREADS)
#include <atomic>
#include <chrono>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>
#if defined(__linux__)
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

namespace tc::kernels {
namespace {

void run_inline(std::int64_t tiles, TileFunction fn, void* context, int worker) {
  StopSign* const stop = StopSign::current();
  for (std::int64_t tile = 0; tile < tiles && !(stop && stop->due()); ++tile) fn(context, tile, worker);
}

}  // namespace

#if defined(TC_PARALLEL_THREADS)
namespace {

// How long a worker stays ready after a region, and how long a caller polls for the last tiles before it sleeps.
constexpr std::chrono::microseconds kSpin{100};

using Clock = std::chrono::steady_clock;

// Cores are near: a line goes to and fro in less time than this, as found out by some trips once in a while.
constexpr std::chrono::nanoseconds kNearTrip{250};
constexpr std::chrono::milliseconds kTripKnown{20};
constexpr int kTrips = 5;
// Sleeping workers are not woken for work that only near ones share, unless so many regions of it came one after the
// other.
constexpr int kWakingRegions = 64;

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Polls `done` for kSpin. The clock costs more than a pause, so it is read once in a while only.
template <class F>
bool spin_until(F done) {
  const auto start = Clock::now();
  for (;;) {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      relax();
    }
    if (Clock::now() - start > kSpin) return false;
  }
}

using Word = std::atomic<std::uint32_t>;

#if defined(__linux__)
void sleep_while(Word& word, std::uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void wake_all(Word& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
}

int current_core() {
  return sched_getcpu();
}
// Keeps a worker off its caller's core. On a machine that has other things to do a woken worker may land there, and
// stays: of 200 regions of 1.5 ms on two cores, 120 had no worker or one that took turns with its caller; now 6.
class Elsewhere {
 public:
  Elsewhere() {
    if (sched_getaffinity(0, sizeof allowed_, &allowed_) != 0) CPU_ZERO(&allowed_);
  }
  void leave(int core) const {
    if (core < 0 || core >= CPU_SETSIZE) return;
    cpu_set_t others = allowed_;
    CPU_CLR(static_cast<size_t>(core), &others);
    if (CPU_COUNT(&others) > 0) sched_setaffinity(0, sizeof others, &others);
  }

 private:
  cpu_set_t allowed_;
};
#else
void sleep_while(Word& word, std::uint32_t value) {
  word.wait(value);
}
void wake_all(Word& word) {
  word.notify_all();
}
int current_core() {
  return -1;
}
struct Elsewhere {
  void leave(int) const {}
};
#endif

// Counts the forks that this process descends from since it loaded the library: threads do not survive one.
std::atomic<int> forks{0};
int watch_forks() {
#if defined(__linux__)
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
#endif
  return forks.load(std::memory_order_relaxed);
}

// The region that the current thread runs a tile of.
thread_local const Team* current_team = nullptr;
thread_local int current_worker = 0;

struct Scope {
  const Team* team = current_team;
  int worker = current_worker;
  Scope(const Team* t, int w) {
    current_team = t;
    current_worker = w;
  }
  ~Scope() {
    current_team = team;
    current_worker = worker;
  }
};

// What is left of a region: units [front, back) of region `serial`, packed so that one compare-and-swap claims some
// and at the same time proves that the region is still the one whose description was read before.
struct Claim {
  std::uint32_t serial;
  std::uint32_t front;
  std::uint32_t back;

  static constexpr std::uint32_t kMaxUnits = 0xffff;
  static Claim unpack(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word >> 16) & kMaxUnits,
            static_cast<std::uint32_t>(word) & kMaxUnits};
  }
  std::uint64_t pack() const { return std::uint64_t{serial} << 32 | std::uint64_t{front} << 16 | back; }
};

}  // namespace

struct Team::Impl {
  const Team* team;
  const int workers;  // not counting the caller
  const int born = watch_forks();

  // One region at a time. Relaxed accesses: the compare-and-swap on `claim` orders them (see take).
  std::atomic<TileFunction> fn{nullptr};
  std::atomic<void*> context{nullptr};
  std::atomic<std::int64_t> tiles{0};
  std::atomic<std::int64_t> unit{1};  // tiles per unit
  std::atomic<StopSign*> sign{nullptr};
  std::atomic<int> caller_core{-1};

  alignas(64) std::atomic<std::uint64_t> claim{0};
  alignas(64) Word epoch{0};  // counts regions; workers sleep on it
  Word sleepers{0};
  std::atomic<bool> stopping{false};
  alignas(64) Word finished{0};  // units done in this region; the caller sleeps on it
  Word caller_sleeps{0};
  alignas(64) Word ping{0};  // the first worker answers by the same number
  alignas(64) Word pong{0};

  std::atomic<bool> busy{false};
  bool started = false;  // touched by the owner of `busy` only, as is the rest
  bool stopped = false;
  std::uint32_t serial = 0;
  bool near = false;
  Clock::time_point near_known{}, last_short{};
  int short_regions = 0;  // in a row
  std::unique_ptr<std::vector<std::thread>> threads;

  Impl(const Team* owner, int count) : team(owner), workers(count) {}

  bool forked() const { return forks.load(std::memory_order_relaxed) != born; }

  // Claims and runs units until none is left that this thread can see. Returns how many it ran.
  // The description of region s is written before claim holds s, and is rewritten only after all units of s are
  // finished. So a swap that takes a unit of s proves that what was read after seeing s belongs to s.
  std::uint32_t work(int worker) {
    std::uint32_t ran = 0;
    std::uint64_t word = claim.load(std::memory_order_acquire);
    for (;;) {
      const Claim seen = Claim::unpack(word);
      if (seen.front == seen.back) return ran;
      const TileFunction f = fn.load(std::memory_order_relaxed);
      void* const c = context.load(std::memory_order_relaxed);
      const std::int64_t total = tiles.load(std::memory_order_relaxed);
      const std::int64_t per_unit = unit.load(std::memory_order_relaxed);
      StopSign* const asked = sign.load(std::memory_order_relaxed);

      // Guided: big pieces first, single units at the end, so that few swaps are made and the end is balanced.
      const std::uint32_t share = static_cast<std::uint32_t>(2 * (workers + 1));
      const std::uint32_t count = std::max<std::uint32_t>(1, (seen.back - seen.front) / share);
      Claim next = seen;
      if (worker == 0)
        next.front += count;
      else
        next.back -= count;
      if (!claim.compare_exchange_weak(word, next.pack(), std::memory_order_acq_rel, std::memory_order_acquire))
        continue;

      const std::uint32_t first = worker == 0 ? seen.front : next.back;
      const std::int64_t begin = first * per_unit;
      const std::int64_t end = std::min(total, (first + count) * per_unit);
      if (worker == 0)
        for (std::int64_t tile = begin; tile < end && !(asked && asked->due()); ++tile) f(c, tile, worker);
      else
        for (std::int64_t tile = end; tile-- > begin && !(asked && asked->due());) f(c, tile, worker);
      ran += count;
      finished.fetch_add(count, std::memory_order_seq_cst);
      if (worker != 0 && caller_sleeps.load(std::memory_order_seq_cst) != 0) wake_all(finished);
      word = claim.load(std::memory_order_acquire);
    }
  }

  void worker_loop(int worker) {
    const Scope scope(team, worker);
    const Elsewhere elsewhere;
    std::uint32_t seen = 0;
    for (;;) {
      const auto changed = [&] {
        if (worker == 1) answer();
        return epoch.load(std::memory_order_acquire) != seen;
      };
      if (!spin_until(changed)) {
        sleepers.fetch_add(1, std::memory_order_seq_cst);
        while (epoch.load(std::memory_order_seq_cst) == seen) sleep_while(epoch, seen);
        sleepers.fetch_sub(1, std::memory_order_relaxed);
      }
      seen = epoch.load(std::memory_order_acquire);
      if (stopping.load(std::memory_order_acquire)) return;
      if (const int core = caller_core.load(std::memory_order_relaxed); core >= 0 && core == current_core())
        elsewhere.leave(core);
      work(worker);
    }
  }

  void answer() {
    const std::uint32_t asked = ping.load(std::memory_order_relaxed);
    if (asked != pong.load(std::memory_order_relaxed)) pong.store(asked, std::memory_order_relaxed);
  }

  // Whether the first worker, if it is awake, answers soon.
  bool answers_soon() {
    for (int i = 0; i < kTrips; ++i) {
      const std::uint32_t asked = ping.fetch_add(1, std::memory_order_relaxed) + 1;
      const auto start = Clock::now();
      for (auto now = start; now - start < 4 * kNearTrip; now = Clock::now()) {
        if (pong.load(std::memory_order_relaxed) != asked) continue;
        if (now - start < kNearTrip) return true;
        break;
      }
    }
    return false;
  }

  // Who runs a tile depends on this, what it computes does not.
  bool worth_sharing(double ns) {
    if (ns >= kLeastSharedNs) return true;
    if (ns < kLeastNearNs) return false;
    const auto now = Clock::now();
    short_regions = now - last_short < kSpin ? short_regions + 1 : 0;
    last_short = now;
    if (!started || sleepers.load(std::memory_order_relaxed) != 0) {
      if (short_regions < kWakingRegions) return false;
      short_regions = 0;
      if (!started) start();
      wake();
      return false;
    }
    if (now - near_known > kTripKnown) {
      near_known = now;
      near = answers_soon();
    }
    return near;
  }

  void wake() {
    epoch.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_seq_cst) != 0) wake_all(epoch);
  }

  // Threads that cannot be had are done without: nobody waits for a worker that never shows up.
  void start() {
    started = true;
    try {
      threads = std::make_unique<std::vector<std::thread>>();
#if defined(TC_PARALLEL_OPENMP)
      // The launcher is the first worker. It is a thread of its own so that the team never is the caller's.
      threads->emplace_back([this] {
#pragma omp parallel num_threads(workers)
        worker_loop(omp_get_thread_num() + 1);
      });
#else
      threads->reserve(static_cast<std::size_t>(workers));
      for (int i = 0; i < workers; ++i) threads->emplace_back([this, i] { worker_loop(i + 1); });
#endif
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
  }

  void stop() {
    if (forked()) {
      // The handles name threads of another process: neither joined nor destroyed.
      static_cast<void>(threads.release());
      return;
    }
    if (current_team == team) return;  // exit() from inside a region
    while (busy.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    stopped = true;
    busy.store(false, std::memory_order_release);
    if (!threads) return;
    stopping.store(true, std::memory_order_release);
    epoch.fetch_add(1, std::memory_order_seq_cst);
    wake_all(epoch);
    for (std::thread& t : *threads) t.join();
    threads.reset();
  }

  void run(std::int64_t count, TileFunction f, void* c) {
    if (!started) start();
    const std::int64_t per_unit = (count + Claim::kMaxUnits - 1) / Claim::kMaxUnits;
    const auto units = static_cast<std::uint32_t>((count + per_unit - 1) / per_unit);
    fn.store(f, std::memory_order_relaxed);
    context.store(c, std::memory_order_relaxed);
    tiles.store(count, std::memory_order_relaxed);
    unit.store(per_unit, std::memory_order_relaxed);
    sign.store(StopSign::current(), std::memory_order_relaxed);
    caller_core.store(current_core(), std::memory_order_relaxed);
    finished.store(0, std::memory_order_relaxed);
    claim.store(Claim{++serial, 0, units}.pack(), std::memory_order_release);
    wake();
    {
      const Scope scope(team, 0);
      work(0);
    }
    const auto all_done = [&] { return finished.load(std::memory_order_acquire) == units; };
    if (all_done() || spin_until(all_done)) return;
    caller_sleeps.store(1, std::memory_order_seq_cst);
    for (std::uint32_t done; (done = finished.load(std::memory_order_seq_cst)) != units;) sleep_while(finished, done);
    caller_sleeps.store(0, std::memory_order_relaxed);
  }
};

Team::Team(int threads) : threads_(threads > 0 ? threads : cpu_info().cores), impl_(nullptr) {
  if (threads_ > 1) impl_ = new Impl(this, threads_ - 1);
}

Team::~Team() {
  if (impl_ == nullptr) return;
  impl_->stop();
  delete impl_;
}

Team& Team::shared() {
  alignas(Team) static unsigned char storage[sizeof(Team)];
  static Team* const team = [] {
    Team* made = new (storage) Team();
    std::atexit([] {
      Team* self = std::launder(reinterpret_cast<Team*>(storage));
      if (self->impl_ != nullptr) self->impl_->stop();
    });
    return made;
  }();
  return *team;
}

const char* parallel_variant() {
#if defined(TC_PARALLEL_OPENMP)
  return "openmp";
#else
  return "std";
#endif
}

Team::Workers Team::workers() const {
  return current_team == this ? Workers{current_worker, current_worker + 1} : Workers{0, threads_};
}

void parallel_for(Team& team, std::int64_t tiles, TileFunction fn, void* context, double ns) {
  const bool nested = current_team == &team;
  Team::Impl* const impl = team.impl_;
  if (tiles <= 1 || ns < kLeastNearNs || impl == nullptr || nested || impl->forked()) {
    return run_inline(tiles, fn, context, nested ? current_worker : 0);
  }
  if (impl->busy.exchange(true, std::memory_order_acquire)) return run_inline(tiles, fn, context, 0);
  const bool shared = !impl->stopped && impl->worth_sharing(ns);
  if (shared) impl->run(tiles, fn, context);
  impl->busy.store(false, std::memory_order_release);
  if (!shared) run_inline(tiles, fn, context, 0);
}

#else  // no threads

struct Team::Impl {};

Team::Team(int) : threads_(1), impl_(nullptr) {}
Team::~Team() = default;

Team& Team::shared() {
  static Team team(1);
  return team;
}

const char* parallel_variant() {
  return "serial";
}

Team::Workers Team::workers() const {
  return {0, 1};
}

void parallel_for(Team&, std::int64_t tiles, TileFunction fn, void* context, double) {
  run_inline(tiles, fn, context, 0);
}

#endif

}  // namespace tc::kernels
