#include "tc/tools/serve/model.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <type_traits>

#include "tc/tools/common/compare.h"
#include "tc/tools/serve/protocol.h"

namespace tc::serve {
namespace {

void check_served(const std::vector<ValueInfo>& infos, const char* what) {
  for (const ValueInfo& v : infos)
    if (!v.type.is_tensor() || datatype_of(v.type.dtype()).empty())
      fail(ErrorCode::unsupported, what, " '", v.name, "' is ", v.type, ", which the protocol does not have");
}

// Tensors below each other. They agree in all but their first extents.
Tensor joined(const std::vector<const Tensor*>& parts) {
  Extents extents = parts[0]->extents();
  extents[0] = 0;
  for (const Tensor* t : parts) extents[0] += t->extent(0);
  Tensor all(parts[0]->dtype(), extents);
  if (all.dtype() == DType::str) {
    auto out = all.mutable_span<std::string>().begin();
    for (const Tensor* t : parts) out = std::ranges::copy(t->span<std::string>(), out).out;
    return all;
  }
  auto* out = static_cast<char*>(all.mutable_data());
  for (const Tensor* t : parts) {
    if (t->bytes()) std::memcpy(out, t->data(), t->bytes());
    out += t->bytes();
  }
  return all;
}

// Rows begin to begin + count.
Tensor rows(const Tensor& all, int64_t begin, int64_t count) {
  Extents extents = all.extents();
  const int64_t row = extents[0] ? all.size() / extents[0] : 0;
  extents[0] = count;
  Tensor part(all.dtype(), extents);
  if (all.dtype() == DType::str) {
    std::ranges::copy(
        all.span<std::string>().subspan(static_cast<size_t>(begin * row), static_cast<size_t>(count * row)),
        part.mutable_span<std::string>().begin());
  } else if (part.bytes()) {
    const size_t row_bytes = static_cast<size_t>(row) * size_of(all.dtype());
    std::memcpy(part.mutable_data(), static_cast<const char*>(all.data()) + static_cast<size_t>(begin) * row_bytes,
                part.bytes());
  }
  return part;
}

// Numbers that most models take: in [0, 1), or 0 and 1.
Tensor made_up(const Type& type, std::mt19937& random) {
  constexpr int64_t kExtent = 8;  // of dimensions that are open
  Extents extents;
  for (const Dim& d : type.shape().dims()) extents.push_back(d.is_const() ? d.value() : kExtent);
  extents[0] = 1;
  Tensor t(type.dtype(), extents);
  std::uniform_real_distribution<float> uniform(0, 1);
  const auto fill = [&]<class T>(std::type_identity<T>, auto&& draw) {
    if (t.dtype() != dtype_of<T>) return;
    for (T& x : t.mutable_span<T>()) x = static_cast<T>(draw());
  };
  fill(std::type_identity<float>(), [&] { return uniform(random); });
  fill(std::type_identity<double>(), [&] { return uniform(random); });
  fill(std::type_identity<int64_t>(), [&] { return random() % 2; });
  fill(std::type_identity<int32_t>(), [&] { return random() % 2; });
  return t;
}

}  // namespace

struct Model::Job {
  std::vector<Tensor> inputs, outputs;
  Clock::time_point deadline;
  int64_t rows = 1;
  std::mutex mutex;
  std::condition_variable finished;
  bool done = false;
  int status = 0;  // of a refusal
  std::string message;

  void end(int code, std::string why) {
    const std::lock_guard lock(mutex);
    status = code, message = std::move(why), done = true;
    finished.notify_one();
  }
  void end(std::vector<Tensor> results) {
    const std::lock_guard lock(mutex);
    outputs = std::move(results), done = true;
    finished.notify_one();
  }
  // Whether both may be parts of one run.
  bool goes_with(const Job& o) const {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (!std::equal(inputs[i].extents().begin() + 1, inputs[i].extents().end(), o.inputs[i].extents().begin() + 1,
                      o.inputs[i].extents().end()))
        return false;
    return true;
  }
};

Model::Model(std::string name, std::string version, const std::string& path, const ServeOptions& options)
    : name_(std::move(name)), version_(std::move(version)), options_(options) {
  const Function f = load(path);
  inputs_ = f.inputs(), outputs_ = f.outputs();
  check_served(inputs_, "input");
  check_served(outputs_, "output");
  compiled_ = compile(f, options_.compiler);
  why_not_ = options_.max_batch < 2 ? "--max-batch 1"
             : !shapes_batch()      ? "no dimension is common to all"
                                    : rows_depend();
  for (int i = 0; i < options_.instances; ++i) threads_.emplace_back([this] { serve(); });
}

Model::~Model() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  arrived_.notify_all();
  for (std::thread& t : threads_) t.join();
}

bool Model::shapes_batch() const {
  std::set<std::string> symbols;
  for (const auto* infos : {&inputs_, &outputs_})
    for (const ValueInfo& v : *infos) {
      const Shape& s = v.type.shape();
      if (!s.ranked() || s.rank() == 0 || !s.dims()[0].is_symbol()) return false;
      symbols.insert(s.dims()[0].symbol_name());
      for (int i = 1; i < s.rank(); ++i)
        if (const Dim& d = s.dims()[static_cast<size_t>(i)];
            d.is_symbol() && d.symbol_name() == s.dims()[0].symbol_name())
          return false;
    }
  return symbols.size() == 1;
}

// Tried out: a program may well have a batch dimension and mean over it.
std::string Model::rows_depend() const {
  std::mt19937 random(1);
  std::vector<Tensor> first, second, both;
  for (const ValueInfo& v : inputs_) {
    first.push_back(made_up(v.type, random));
    second.push_back(made_up(v.type, random));
    both.push_back(joined({&first.back(), &second.back()}));
  }
  try {
    const auto never = Clock::time_point::max();
    const auto a = run_once(first, never), b = run_once(second, never), ab = run_once(both, never);
    for (size_t i = 0; i < ab.size(); ++i) {
      if (ab[i].extent(0) != 2) return cat("output '", outputs_[i].name, "' has not a row per row of the inputs");
      Tolerance tolerance;
      tolerance.atol_of_max = 1e-4;
      if (!difference(rows(ab[i], 0, 1), a[i], tolerance).empty() ||
          !difference(rows(ab[i], 1, 1), b[i], tolerance).empty())
        return cat("rows of output '", outputs_[i].name, "' depend on each other");
    }
  } catch (const Error& e) {
    return cat("it does not run on made-up inputs: ", e.diagnostic().message);
  }
  return {};
}

std::vector<Tensor> Model::run_once(std::vector<Tensor> inputs, Clock::time_point deadline) const {
  std::vector<Datum> values(std::make_move_iterator(inputs.begin()), std::make_move_iterator(inputs.end()));
  RunOptions options;
  if (deadline != Clock::time_point::max()) options.deadline = deadline;
  std::vector<Tensor> results;
  for (Datum& d : compiled_.run(std::move(values), options)) results.push_back(d.tensor());
  return results;
}

std::vector<Tensor> Model::run(std::vector<Tensor> inputs, Clock::time_point deadline) {
  const auto job = std::make_shared<Job>();
  job->deadline = deadline;
  if (batches()) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].rank() != inputs_[i].type.shape().rank() || inputs[i].extent(0) != inputs[0].extent(0))
        refuse(400, "input '", inputs_[i].name, "' is ", inputs[i].type(), ", the model takes ", inputs_[i].type);
    job->rows = inputs[0].extent(0);
  }
  job->inputs = std::move(inputs);
  {
    const std::lock_guard lock(mutex_);
    if (ending_) refuse(503, "the server ends");
    if (queue_.size() >= options_.queue) refuse(503, "the queue is full: ", queue_.size(), " requests wait");
    queue_.push_back(job);
    metrics_.queued = static_cast<int64_t>(queue_.size());
  }
  arrived_.notify_all();  // one that waits for more may be the one that cannot take it
  std::unique_lock lock(job->mutex);
  if (!job->finished.wait_until(lock, deadline, [&] { return job->done; }))
    refuse(504, "the request took longer than it may");
  if (job->status) refuse(job->status, job->message);
  return std::move(job->outputs);
}

void Model::take_more(Jobs& jobs, int64_t& rows) {
  for (auto it = queue_.begin(); it != queue_.end() && rows < options_.max_batch;) {
    if (!(*it)->goes_with(*jobs[0]) || rows + (*it)->rows > options_.max_batch) {
      ++it;
      continue;
    }
    rows += (*it)->rows;
    jobs.push_back(std::move(*it));
    it = queue_.erase(it);
  }
}

// What runs next; nothing at the end.
Model::Jobs Model::next() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [&] { return ending_ || !queue_.empty(); });
  if (queue_.empty()) return {};
  Jobs jobs{std::move(queue_.front())};
  queue_.pop_front();
  int64_t rows = jobs[0]->rows;
  if (batches()) {
    take_more(jobs, rows);
    const auto until = Clock::now() + std::chrono::microseconds(options_.delay_us);
    while (options_.delay_us > 0 && rows < options_.max_batch && !ending_ &&
           arrived_.wait_until(lock, until) == std::cv_status::no_timeout)
      take_more(jobs, rows);
  }
  metrics_.queued = static_cast<int64_t>(queue_.size());
  return jobs;
}

void Model::run_jobs(const Jobs& jobs) {
  Jobs live;
  const auto now = Clock::now();
  for (const auto& job : jobs)
    if (job->deadline > now) live.push_back(job);  // of the others nobody waits any more
  if (live.empty()) return;
  auto deadline = live[0]->deadline;
  std::vector<Tensor> inputs = live[0]->inputs;
  int64_t total = live[0]->rows;
  for (size_t k = 1; k < live.size(); ++k) {
    deadline = std::max(deadline, live[k]->deadline);
    total += live[k]->rows;
  }
  if (live.size() > 1)
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::vector<const Tensor*> parts;
      for (const auto& job : live) parts.push_back(&job->inputs[i]);
      inputs[i] = joined(parts);
    }
  std::vector<Tensor> results = run_once(std::move(inputs), deadline);
  metrics_.ran(static_cast<int64_t>(live.size()), total);
  if (live.size() == 1) return live[0]->end(std::move(results));
  int64_t begin = 0;
  for (const auto& job : live) {
    std::vector<Tensor> own;
    for (const Tensor& t : results) own.push_back(rows(t, begin, job->rows));
    begin += job->rows;
    job->end(std::move(own));
  }
}

void Model::answer(const Jobs& jobs) {
  int status = 500;
  std::string message;
  try {
    return run_jobs(jobs);
  } catch (const Error& e) {
    const ErrorCode code = e.code();
    const bool theirs = code == ErrorCode::bad_input || code == ErrorCode::bad_value || code == ErrorCode::bad_shape ||
                        code == ErrorCode::check_failed;
    status = theirs ? 400 : code == ErrorCode::limit_steps ? 504 : code == ErrorCode::limit_memory ? 413 : 500;
    message = e.what();
  } catch (const std::exception& e) {
    message = e.what();
  }
  // One that cannot be served must not take the others along.
  if (jobs.size() == 1) return jobs[0]->end(status, message);
  for (const auto& job : jobs) answer({job});
}

void Model::serve() {
  for (;;) {
    const Jobs jobs = next();
    if (jobs.empty()) return;
    answer(jobs);
  }
}

}  // namespace tc::serve
