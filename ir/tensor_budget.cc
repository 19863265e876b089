#include "tc/ir/tensor_budget.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

#include "tc/ir/diag.h"

namespace tc {
namespace {

// The number in a file; UINT64_MAX where there is none, as in "max".
uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  uint64_t n = 0;
  return file >> n ? n : UINT64_MAX;
}

uint64_t machine_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;)
    if (uint64_t kilobytes = 0; word == "MemTotal:" && file >> kilobytes) return kilobytes * 1024;
  return UINT64_MAX;
}

// The least limit of the process's control group and of those around it, in either version of the hierarchy.
uint64_t control_group_limit() {
  uint64_t least = UINT64_MAX;
  const auto walk = [&](const std::string& root, std::string group, const char* name) {
    for (;;) {
      least = std::min(least, number_in(root + group + name));
      if (group.empty() || group == "/") return;
      group.resize(group.rfind('/'));
    }
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) walk("/sys/fs/cgroup", group, "/memory.max");
    if (controllers == "memory") walk("/sys/fs/cgroup/memory", group, "/memory.limit_in_bytes");
  }
  return least;
}

thread_local Budget::Scope* current_scope = nullptr;

}  // namespace

uint64_t default_memory_budget() {
  static const uint64_t budget = [] {
    const uint64_t bytes = std::min(control_group_limit(), machine_memory());
    return bytes == UINT64_MAX ? bytes : bytes / 5 * 4;
  }();
  return budget;
}

Budget::Budget(uint64_t max_bytes) : max_bytes_(max_bytes == UINT64_MAX ? default_memory_budget() : max_bytes) {}

bool Budget::has_room(uint64_t bytes) const {
  const uint64_t taken = used() + scratch_;
  return taken <= max_bytes_ && bytes <= max_bytes_ - taken;
}

void Budget::expect_room(uint64_t bytes) const {
  if (!has_room(bytes))
    fail(ErrorCode::limit_memory, bytes, " bytes more, beside ", used() + scratch_,
         " in use, exceed the memory budget of ", max_bytes_, " bytes; raise it with --max-memory");
}

void Budget::take(uint64_t bytes) {
  expect_room(bytes);
  used_.fetch_add(bytes, std::memory_order_relaxed);
}

Budget* Budget::current() {
  return current_scope ? current_scope->budget_.get() : nullptr;
}

std::shared_ptr<Budget> Budget::shared() {
  return current_scope ? current_scope->budget_ : nullptr;
}

void Budget::poll() {
  for (const Scope* s = current_scope; s; s = s->outer_) {
    const Budget& b = *s->budget_;
    if (b.cancel_ && b.cancel_->load(std::memory_order_relaxed)) fail(ErrorCode::limit_steps, "the run was cancelled");
    if (b.deadline_ns_ == INT64_MAX) continue;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    if (std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() > b.deadline_ns_)
      fail(ErrorCode::limit_steps, "not done by the deadline");
  }
}

Budget::Scope::Scope(std::shared_ptr<Budget> budget) : budget_(std::move(budget)), outer_(current_scope) {
  current_scope = this;
}

Budget::Scope::~Scope() {
  current_scope = outer_;
}

Budget::Scratch::Scratch() : budget_(current()), before_(budget_ ? budget_->scratch_ : 0) {}

Budget::Scratch::~Scratch() {
  if (budget_) budget_->scratch_ = before_;
}

void Budget::Scratch::add(uint64_t bytes) {
  Budget* b = current();
  if (!b) return;
  b->expect_room(bytes);
  b->scratch_ += bytes;
}

}  // namespace tc
