#include "tc/kernels/parallel.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

#include "tc/kernels/cpu.h"
#include "tc/kernels/status.h"
#include "tc/kernels/stop.h"

namespace tc::kernels {
namespace {

std::vector<int> count_visits(Team& team, std::int64_t tiles) {
  std::vector<int> visits(static_cast<std::size_t>(tiles));
  parallel_for(team, tiles, [&](std::int64_t tile, int) { ++visits[static_cast<std::size_t>(tile)]; });
  return visits;
}

TEST(Parallel, RunsEveryTileOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    Team team(threads);
    for (const std::int64_t tiles : {0, 1, 2, 3, 7, 64, 1000, 65535, 65536, 200000}) {
      const std::vector<int> visits = count_visits(team, tiles);
      EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), tiles) << threads << " threads";
    }
  }
}

TEST(Parallel, TilesAreLeftOutOnceASignIsDue) {
  constexpr int kTiles = 10000;
  for (const int threads : {1, 2, 4}) {
    Team team(threads);
    std::atomic<bool> cancel{false};
    std::atomic<int> ran{0};
    const auto run = [&](StopSign& sign, int last) {
      ran = 0;
      const StopSign::Scope scope(&sign);
      parallel_for(team, kTiles, [&](std::int64_t, int) {
        if (ran.fetch_add(1) == last) cancel = true;
      });
    };
    StopSign never(&cancel, INT64_MAX), later(&cancel, INT64_MAX), late(nullptr, 0);
    run(never, kTiles);
    EXPECT_EQ(ran, kTiles);
    EXPECT_FALSE(never.seen());
    run(later, 5);
    EXPECT_GE(ran, 6);
    EXPECT_LE(ran, 6 + threads);
    EXPECT_TRUE(later.seen());
    run(late, kTiles);
    EXPECT_EQ(ran, 0);
    EXPECT_TRUE(late.seen());
    const std::vector<int> visits = count_visits(team, kTiles);
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), kTiles);
  }
}

TEST(Parallel, ManySmallRegionsOfChangingSizeAndFunction) {
  for (const int threads : {2, 4}) {
    Team team(threads);
    std::atomic<std::int64_t> sum{0};
    std::int64_t expected = 0;
    for (int i = 0; i < 20000; ++i) {
      const std::int64_t tiles = 1 + i % 9;
      const auto plus = [&](std::int64_t tile, int) { sum.fetch_add(tile + 1, std::memory_order_relaxed); };
      const auto minus = [&](std::int64_t tile, int) { sum.fetch_sub(tile * 3, std::memory_order_relaxed); };
      if (i % 3 == 0) {
        parallel_for(team, tiles, minus);
        expected -= 3 * tiles * (tiles - 1) / 2;
      } else {
        parallel_for(team, tiles, plus);
        expected += tiles * (tiles + 1) / 2;
      }
      ASSERT_EQ(sum.load(), expected) << "region " << i;
    }
  }
}

TEST(Parallel, RegionsAfterSleepAreComplete) {
  Team team(3);
  for (int i = 0; i < 50; ++i) {
    const std::vector<int> visits = count_visits(team, 40);
    ASSERT_EQ(std::count(visits.begin(), visits.end(), 1), 40);
    std::this_thread::sleep_for(std::chrono::microseconds(37 * (i % 12)));
  }
}

TEST(Parallel, WorkerNumbersAreExclusive) {
  Team team(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<bool> clash{false};
  for (int i = 0; i < 200; ++i) {
    parallel_for(team, 32, [&](std::int64_t, int worker) {
      if (worker < 0 || worker >= team.threads() || inside[static_cast<std::size_t>(worker)].fetch_add(1) != 0) {
        clash = true;
      }
      std::this_thread::yield();
      inside[static_cast<std::size_t>(worker)].fetch_sub(1);
    });
  }
  EXPECT_FALSE(clash);
}

TEST(Parallel, NestedRegionsRunInlineOnTheSameWorker) {
  Team team(3);
  std::atomic<int> total{0};
  std::atomic<bool> moved{false};
  parallel_for(team, 16, [&](std::int64_t, int outer) {
    const auto self = std::this_thread::get_id();
    parallel_for(team, 8, [&](std::int64_t, int inner) {
      if (inner != outer || std::this_thread::get_id() != self) moved = true;
      ++total;
    });
  });
  EXPECT_EQ(total, 16 * 8);
  EXPECT_FALSE(moved);
}

TEST(Parallel, LittleWorkStaysWithTheCaller) {
  Team team(3);
  const auto self = std::this_thread::get_id();
  int own = 0;
  for (int i = 0; i < 100; ++i)
    parallel_for(team, 64, kLeastNearNs / 2,
                 [&](std::int64_t, int worker) { own += worker == 0 && std::this_thread::get_id() == self; });
  EXPECT_EQ(own, 100 * 64);
}

// Whether a second core joins depends on how near it is; the tiles do not.
TEST(Parallel, ShortWorkIsDoneOnceWhoeverJoins) {
  for (const int threads : {2, 3}) {
    Team team(threads);
    std::vector<int> visits(7);
    for (int i = 1; i <= 20000; ++i) {
      parallel_for(team, 7, kLeastSharedNs / 2, [&](std::int64_t tile, int) { ++visits[static_cast<size_t>(tile)]; });
      ASSERT_EQ(std::count(visits.begin(), visits.end(), i), 7) << "region " << i;
      if (i % 5000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
}

TEST(Parallel, TeamsNestInEachOther) {
  Team a(2), b(2);
  std::atomic<int> total{0};
  parallel_for(a, 4, [&](std::int64_t, int) {
    parallel_for(b, 4, [&](std::int64_t, int) { parallel_for(a, 4, [&](std::int64_t, int) { ++total; }); });
  });
  EXPECT_EQ(total, 64);
}

TEST(Parallel, ConcurrentCallersOfOneTeamAndOfTheirOwn) {
  Team shared(2);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      Team own(2);
      for (int i = 0; i < 300; ++i) {
        for (Team* team : {&shared, &own}) {
          const std::vector<int> visits = count_visits(*team, 11);
          if (std::count(visits.begin(), visits.end(), 1) != 11) ++wrong;
        }
      }
    });
  }
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Parallel, TeamsComeAndGo) {
  for (int i = 0; i < 40; ++i) {
    Team team(3);
    if (i % 4 == 0) continue;  // never started
    const std::vector<int> visits = count_visits(team, 5);
    EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), 0), 5);
  }
}

TEST(Parallel, ChildAfterForkRunsInline) {
  Team& team = Team::shared();
  count_visits(team, 100);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::vector<int> visits = count_visits(team, 100);
    _exit(std::count(visits.begin(), visits.end(), 1) == 100 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(count_visits(team, 100), std::vector<int>(100, 1));
}

double cpu_ms() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) * 1e-3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

// Times depend on the machine and on its other users, so they are reported and bounded only where a bound means that
// the mechanism is broken: a worker that never sleeps would burn the whole 200 ms.
TEST(Parallel, SleepsAfterARegion) {
  Team team(2);
  for (int i = 0; i < 100; ++i) count_visits(team, 64);
  const double before = cpu_ms();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const double burnt = cpu_ms() - before;
  RecordProperty("idle_cpu_us", static_cast<int>(burnt * 1e3));
  std::printf("cpu in the 200 ms after a region: %.3f ms (%s)\n", burnt, parallel_variant());
  EXPECT_LT(burnt, 20.0);
}

TEST(FirstFailure, KeepsTheLowestPosition) {
  Team team(4);
  FirstFailure failure;
  EXPECT_TRUE(failure.status(StatusCode::kIndexOutOfRange).ok());
  parallel_for(team, 100, [&](std::int64_t tile, int) {
    if (tile % 10 == 3) failure.report(tile);
  });
  const Status status = failure.status(StatusCode::kIndexOutOfRange);
  EXPECT_EQ(status.code, StatusCode::kIndexOutOfRange);
  EXPECT_EQ(status.at, 3);
}

TEST(Cpu, TiersHaveNames) {
  for (int i = 0; i < kTierCount; ++i) {
    const Tier tier = static_cast<Tier>(i);
    EXPECT_EQ(parse_tier(tier_name(tier)), is_built(tier) ? std::optional(tier) : std::nullopt);
  }
  EXPECT_FALSE(parse_tier("avx1024").has_value());
  EXPECT_LE(active_tier(), cpu_info().tier);
  EXPECT_GE(cpu_info().cores, 1);
  EXPECT_GT(cpu_info().l1d_bytes, 0u);
}

}  // namespace
}  // namespace tc::kernels
