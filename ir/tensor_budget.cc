#include "tc/ir/tensor_budget.h"

#include <algorithm>
#include <chrono>

#include "tc/ir/diag.h"

namespace tc {
namespace {

thread_local Budget::Scope* current_scope = nullptr;

}  // namespace

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
