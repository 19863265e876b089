// Trains one network on several processes, by MPI: each takes its part of every batch, and one exchange per step makes
// the mean of their gradients, which are one flat buffer. All processes hold the same weights and make the same update.
//
//   mpirun -n 2 parallel [--steps N] [--batch N] [--seed N] [--out FILE] [--checkpoint FILE] [--every N] [--die-at
//   STEP]
//
// --checkpoint: goes on from the file where there is one; every N steps process 0 replaces it, all or nothing.
// --out: the weights at the end (.safetensors or .npz). --die-at: the last process ends itself at this step, for tests.
#define OMPI_SKIP_MPICXX  // the C interface alone
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

#include "tc/tc.h"

namespace {

struct Options {
  int64_t steps = 50, batch = 64, every = 10, die_at = -1;
  uint64_t seed = 1;
  std::string out, checkpoint;
};

// A loss to learn: whether the first half of the numbers weighs more than the second.
tc::Function make_loss(uint64_t seed) {
  tc::Init init(seed);
  const tc::Param w1("w1", init.he_normal({16, 64})), b1("b1", tc::Tensor(tc::f32, {64}));
  const tc::Param w2("w2", init.he_normal({64, 2})), b2("b2", tc::Tensor(tc::f32, {2}));
  return tc::trace("loss", {{"x", tc::f32, {"batch", 16}}, {"labels", tc::i64, {"batch"}}},
                   [&](tc::Var x, tc::Var labels) {
                     const tc::Var hidden = tc::relu(tc::matmul(x, w1) + b1);
                     return tc::Outputs{{"loss", tc::cross_entropy(tc::matmul(hidden, w2) + b2, labels)}};
                   });
}

// The batch of a step, the same for any number of processes, of which this one gets its rows.
std::vector<tc::Tensor> make_batch(uint64_t seed, int64_t step, int64_t batch, int rank, int ranks) {
  std::mt19937_64 random(seed * 1'000'003 + static_cast<uint64_t>(step));
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<size_t>(batch) * 16);
  std::vector<int64_t> labels;
  for (float& v : x) v = normal(random);
  for (auto row = x.begin(); row != x.end(); row += 16)
    labels.push_back(std::accumulate(row, row + 8, 0.0f) > std::accumulate(row + 8, row + 16, 0.0f) ? 1 : 0);
  const int64_t rows = batch / ranks, begin = rows * rank;
  const auto first = x.begin() + begin * 16;
  return {tc::Tensor::of<float>({rows, 16}, std::vector<float>(first, first + rows * 16)),
          tc::Tensor::of<int64_t>({rows}, std::vector<int64_t>(labels.begin() + begin, labels.begin() + begin + rows))};
}

// A train step in two programs, with the exchange between them.
class SplitStep {
 public:
  SplitStep(const tc::Function& loss, const tc::Optimizer& optimizer) : state_(tc::parameters_of(loss)) {
    count_ = state_.size();
    for (size_t i = 0; i < count_; ++i)
      for (const std::string& slot : optimizer.slots())
        state_.emplace_back(state_[i].first + "." + slot, tc::Tensor(tc::f32, state_[i].second.extents()));
    state_.emplace_back("step", tc::Tensor::scalar<int64_t>(0));
    gradients_ = tc::compile(gradients_of(loss));
    update_ = tc::compile(update_of(optimizer));
  }

  // (inputs...) -> the loss and all gradients one behind the other.
  std::vector<tc::Tensor> gradients(std::vector<tc::Tensor> inputs) const {
    for (size_t i = 0; i < count_; ++i) inputs.push_back(state_[i].second);
    return gradients_(inputs);
  }
  void update(tc::Tensor flat) {
    std::vector<tc::Tensor> inputs{std::move(flat)};
    for (const auto& [name, tensor] : state_) inputs.push_back(tensor);
    const std::vector<tc::Tensor> news = update_(inputs);
    for (size_t i = 0; i < news.size(); ++i) state_[i].second = news[i];
  }
  int64_t steps() const { return tc::to_i64(state_.back().second).at(0); }
  const tc::NamedTensors& state() const { return state_; }
  void set_state(const tc::NamedTensors& state) { tc::replace_tensors(state_, state, "the checkpoint"); }
  tc::NamedTensors parameters() const { return {state_.begin(), state_.begin() + static_cast<std::ptrdiff_t>(count_)}; }

 private:
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (size_t i = 0; i < count_; ++i) list.push_back(state_[i].first);
    return list;
  }
  static tc::Input input_of(const std::string& name, const tc::Tensor& t) {
    tc::Input input{name, t.dtype(), {}};
    for (const int64_t extent : t.extents()) input.shape.emplace_back(extent);
    return input;
  }

  tc::Function gradients_of(const tc::Function& loss) const {
    const tc::Function both = tc::value_and_grad(tc::parameters_as_inputs(loss), names());
    std::vector<tc::Input> inputs{{"x", tc::f32, {"batch", 16}}, {"labels", tc::i64, {"batch"}}};
    for (size_t i = 0; i < count_; ++i) inputs.push_back(input_of(state_[i].first, state_[i].second));
    return tc::trace("gradients", inputs, [&](std::vector<tc::Var> in) {
      const auto values = both(tc::Args(in));
      std::vector<tc::Var> flat;
      for (size_t i = 1; i < values.size(); ++i) flat.push_back(tc::reshape(values[i], {-1}));
      return tc::Outputs{{"loss", values[0]}, {"gradients", tc::concat(flat, {.axis = 0})}};
    });
  }

  tc::Function update_of(const tc::Optimizer& optimizer) const {
    int64_t total = 0;
    for (size_t i = 0; i < count_; ++i) total += state_[i].second.size();
    std::vector<tc::Input> inputs{{"gradients", tc::f32, {total}}};
    for (const auto& [name, tensor] : state_) inputs.push_back(input_of(name, tensor));
    return tc::trace("update", inputs, [&](std::vector<tc::Var> in) {
      std::vector<tc::Var> parameters, gradients, slots;
      int64_t at = 0;
      for (size_t i = 0; i < count_; ++i) {
        const tc::Tensor& t = state_[i].second;
        parameters.push_back(in[1 + i]);
        gradients.push_back(tc::reshape(in[0][tc::slice(at, at + t.size())], t.extents()));
        at += t.size();
      }
      for (size_t i = 1 + count_; i + 1 < in.size(); ++i) slots.push_back(in[i]);
      const auto updates = optimizer(in.back(), parameters, gradients, slots);
      tc::Outputs outputs;
      size_t k = 0;
      for (const auto* list : {&updates.parameters, &updates.state})
        for (const tc::Var& v : *list) outputs.push_back({"new_" + state_[k++].first, v});
      outputs.push_back({"new_step", in.back() + 1});
      return outputs;
    });
  }

  tc::NamedTensors state_;  // the parameters, what the optimiser keeps of them, and the number of updates
  size_t count_ = 0;
  tc::Compiled gradients_, update_;
};

void check(int code, const char* what) {
  if (code != MPI_SUCCESS) throw std::runtime_error(std::string(what) + " failed");
}

void train(const Options& o, int rank, int ranks) {
  if (o.batch % ranks) throw std::runtime_error("--batch is no multiple of the number of processes");
  SplitStep step(make_loss(o.seed), tc::adam(1e-2));
  if (!o.checkpoint.empty() && std::filesystem::exists(o.checkpoint)) {
    step.set_state(tc::load_tensors(o.checkpoint));
    if (rank == 0) std::printf("goes on after step %lld\n", static_cast<long long>(step.steps()));
  }
  while (step.steps() < o.steps) {
    if (step.steps() == o.die_at && rank == ranks - 1) std::abort();
    std::vector<tc::Tensor> results = step.gradients(make_batch(o.seed, step.steps(), o.batch, rank, ranks));
    tc::Tensor& flat = results[1];
    auto sum = flat.mutable_span<float>();
    check(MPI_Allreduce(MPI_IN_PLACE, sum.data(), static_cast<int>(sum.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
          "MPI_Allreduce");
    for (float& g : sum) g /= static_cast<float>(ranks);
    step.update(std::move(flat));
    if (rank != 0) continue;
    if (step.steps() % 10 == 0)
      std::printf("step %lld  loss %.6f\n", static_cast<long long>(step.steps()), tc::scalar_f64(results[0]));
    if (!o.checkpoint.empty() && step.steps() % o.every == 0) tc::save_tensors(o.checkpoint, step.state());
  }
  if (rank == 0 && !o.out.empty()) tc::save_tensors(o.out, step.parameters());
}

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::runtime_error(name + " has no value");
    const std::string value = argv[++i];
    if (name == "--steps")
      o.steps = std::stoll(value);
    else if (name == "--batch")
      o.batch = std::stoll(value);
    else if (name == "--seed")
      o.seed = std::stoull(value);
    else if (name == "--out")
      o.out = value;
    else if (name == "--checkpoint")
      o.checkpoint = value;
    else if (name == "--every")
      o.every = std::stoll(value);
    else if (name == "--die-at")
      o.die_at = std::stoll(value);
    else
      throw std::runtime_error("unknown option " + name);
  }
  if (o.batch < 1 || o.every < 1) throw std::runtime_error("--batch and --every are at least 1");
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    train(parse(argc, argv), rank, ranks);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "parallel, process %d: %s\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the others wait for this one
  }
  MPI_Finalize();
}
