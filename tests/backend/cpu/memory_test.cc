// The memory planner: no two live values share memory, results in place harm nobody, and memory does not grow with the
// number of different extents.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <random>
#include <thread>

#include "compare.h"
#include "random_graph.h"
#include "tc/backend/cpu/plan/placement.h"
#include "tc/ir/builder.h"
#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"
#include "tc/kernels/cpu.h"
#include "tc/kernels/table.h"

namespace tc {
namespace {

using cpu::Slot;

// Values whose memory is the same by definition, found from the nodes alone: views and what they view.
class Origins {
 public:
  explicit Origins(const cpu::Plan& plan) : parent_(plan.values.size()) {
    for (size_t s = 0; s < parent_.size(); ++s) parent_[s] = s;
    std::vector<bool> computed(parent_.size());
    for (const auto& step : plan.steps)
      if (step->kernel != "view")
        for (Slot s : step->writes) computed[static_cast<size_t>(s)] = true;
    for (size_t s = 0; s < parent_.size(); ++s) {
      const Value* v = plan.values[s].value;
      if (computed[s] || !v || !v->def() || v->def()->num_operands() == 0) continue;
      for (size_t u = 0; u < parent_.size(); ++u)
        if (plan.values[u].value == v->def()->operand(0) && plan.values[u].layout == cpu::Layout::plain) parent_[s] = u;
    }
  }
  size_t of(size_t s) const { return parent_[s] == s ? s : of(parent_[s]); }

 private:
  std::vector<size_t> parent_;
};

struct Life {
  int written = INT32_MAX, read = -1;
};

// Calls f(joint, part) for parts that lie in their places.
template <class F>
void visit_placed(const cpu::Plan& plan, const cpu::Frame& frame, F f) {
  for (const cpu::Plan::Joint& j : plan.joints) {
    const auto* at = frame.ptr<std::byte>(j.whole);
    for (const cpu::Plan::Joint::Part& part : j.parts) {
      if (frame.ptr<std::byte>(part.slot) == at) f(j, part);
      at += frame.bytes(part.slot);
    }
  }
}

// Whether one of two buffers is a part of the other at a step that gathers or cuts, and lies in its place there.
bool in_its_place(const cpu::Plan& plan, const cpu::Frame& frame, int step, int a, int b) {
  const auto buffer = [&](Slot s) { return plan.values[static_cast<size_t>(s)].buffer; };
  bool found = false;
  visit_placed(plan, frame, [&](const cpu::Plan::Joint& j, const cpu::Plan::Joint::Part& part) {
    const std::pair pair(buffer(part.slot), buffer(j.whole));
    found = found || (j.step == step && (pair == std::pair(a, b) || pair == std::pair(b, a)));
  });
  return found;
}

// What is wrong with the memory that a frame uses for its planned values; empty: nothing.
std::string overlap(const cpu::Plan& plan, const cpu::Frame& frame) {
  const Origins origins(plan);
  std::map<size_t, Life> lives;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    for (Slot s : plan.steps[i]->writes) {
      Life& l = lives[origins.of(static_cast<size_t>(s))];
      l.written = std::min(l.written, static_cast<int>(i)), l.read = std::max(l.read, static_cast<int>(i));
    }
    for (Slot s : plan.steps[i]->reads) {
      Life& l = lives[origins.of(static_cast<size_t>(s))];
      l.read = std::max(l.read, static_cast<int>(i));
    }
  }
  for (Slot s : plan.outputs) lives[origins.of(static_cast<size_t>(s))].read = static_cast<int>(plan.steps.size());
  for (const auto& [a, la] : lives)
    for (const auto& [b, lb] : lives) {
      if (a == b || la.written == INT32_MAX || lb.written == INT32_MAX || la.written > lb.written) continue;
      auto arena = [&](size_t s) {
        return plan.buffers[static_cast<size_t>(plan.values[s].buffer)].storage == cpu::Storage::arena;
      };
      if (!arena(a) || !arena(b)) continue;
      const auto *pa = frame.ptr<std::byte>(static_cast<Slot>(a)), *pb = frame.ptr<std::byte>(static_cast<Slot>(b));
      if (pa >= pb + frame.bytes(static_cast<Slot>(b)) || pb >= pa + frame.bytes(static_cast<Slot>(a))) continue;
      // Only a result in place, or of parts or a whole, may begin at the step that ends the other.
      const int ba = plan.values[a].buffer, bb = plan.values[b].buffer;
      const bool in_place = ba == bb || in_its_place(plan, frame, lb.written, ba, bb);
      if (la.read > lb.written || (la.read == lb.written && !in_place))
        return cat("values ", a, " (steps ", la.written, " to ", la.read, ") and ", b, " (", lb.written, " to ",
                   lb.read, ") overlap");
    }
  return {};
}

constexpr int64_t kShapes[][3] = {{1, 5, 7}, {2, 8, 3}, {1, 1, 1}, {3, 4, 4}, {1, 5, 7}};

TEST(Memory, RandomGraphsKeepTheirValuesApart) {
  for (uint64_t seed = 0; seed < 250; ++seed) {
    const auto module = random_module(seed);
    CompileOptions options;
    options.level = seed % 2 ? 2 : 0;
    const auto executable = compiled(*module, options);
    cpu::Runtime runtime(1);
    cpu::Frame frame(executable->plan(), runtime);
    for (const auto& [n, h, w] : kShapes) {
      const auto inputs = random_inputs(*module, n, h, w, seed);
      const auto outputs = frame.run(inputs, nullptr);
      ASSERT_EQ(differences(outputs, widened(*module, inputs), {1e-3, 1e-4}), "")
          << "seed " << seed << ", extents " << n << " " << h << " " << w << "\n"
          << print(*module);
      ASSERT_EQ(overlap(executable->plan(), frame), "") << "seed " << seed << "\n" << print(*module);
      ASSERT_EQ(differences(inputs, random_inputs(*module, n, h, w, seed)), "")
          << "seed " << seed << ": inputs were written";
    }
  }
}

// Values are made where a concatenation wants them, and cut where they lie; of several images they cannot be.
TEST(Memory, PartsLieInTheirWhole) {
  Module m;
  Builder b(m.main());
  Value* x = m.main().add_input(Type::tensor(DType::f32, Shape({Dim::symbol("N"), 16, 2, 1})), "x");
  Node* cut = b.make_n<Split>({b.make<Exp>({x})}, {.axis = 1, .num_outputs = 2}, 2);
  Value *tanh = b.make<Tanh>({cut->result(0)}), *both = b.make<Concat>({tanh, cut->result(1)}, {.axis = 1});
  Value* all = b.make<Concat>({both, b.make<Sqrt>({x}), tanh}, {.axis = 1});
  m.main().set_outputs(std::vector{b.make<Transpose>({all}, {{0, 2, 3, 1}})});
  CompileOptions options;
  options.level = 0;
  const auto executable = compiled(m, options);
  const cpu::Plan& plan = executable->plan();
  cpu::Runtime runtime(1);
  cpu::Frame frame(plan, runtime);
  for (const int64_t n : {1, 3, 1}) {
    Tensor t(DType::f32, {n, 16, 2, 1});
    float value = 0;
    for (float& v : t.mutable_span<float>()) v = value += 0.001F;
    ASSERT_EQ(differences(frame.run({t}, nullptr), widened(m, {t})), "");
    ASSERT_EQ(overlap(plan, frame), "");
    int placed = 0;
    visit_placed(plan, frame, [&](const auto&, const auto&) { ++placed; });
    // The halves, and all of the last whole, so that none of the other one does.
    if (n == 1)
      EXPECT_EQ(placed, 5);
    else
      EXPECT_LT(placed, 5);
  }
}

// As place_blocks says, block by block against all others.
std::vector<size_t> placed_one_by_one(const std::vector<cpu::PlacedBlock>& blocks) {
  std::vector<size_t> order(blocks.size()), offsets(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; });
  for (size_t k = 0; k < order.size(); ++k) {
    const cpu::PlacedBlock& block = blocks[order[k]];
    std::vector<std::pair<size_t, size_t>> taken;
    for (size_t j = 0; j < k; ++j)
      if (const auto& other = blocks[order[j]]; other.first <= block.last && block.first <= other.last)
        taken.emplace_back(offsets[order[j]], offsets[order[j]] + other.bytes);
    std::sort(taken.begin(), taken.end());
    size_t& offset = offsets[order[k]];
    for (const auto& [begin, end] : taken)
      if (begin < offset + block.bytes) offset = std::max(offset, end);
  }
  return offsets;
}

TEST(Memory, BlocksTakeTheLowestFreePlace) {
  std::mt19937 random(1);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    const int steps = 1 + below(70);
    std::vector<cpu::PlacedBlock> blocks;
    for (int i = 0; i < 40; ++i) {
      const int first = below(steps), last = std::min(steps - 1, first + (below(3) ? below(4) : below(steps)));
      blocks.push_back({64 * static_cast<size_t>(below(9)), first, last});
    }
    const auto expected = placed_one_by_one(blocks);
    cpu::place_blocks(blocks, {});
    for (size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_TRUE(blocks[i].bytes == 0 || blocks[i].offset == expected[i]) << "round " << round << ", block " << i;
    }
  }
}

// Hundreds of thousands of values that live at once, and the parts of one whole: minutes where each is compared with
// each.
TEST(Memory, ManyBlocksAtOnceArePlaced) {
  constexpr int kCount = 200'000;
  std::vector<cpu::PlacedBlock> blocks{{64 * size_t{kCount}, kCount, kCount + 1}};
  std::vector<cpu::JointBlocks> joints;
  for (int i = 0; i < kCount; ++i) {
    blocks.push_back({64, i, kCount});
    joints.push_back({i + 1, 0, 64 * static_cast<size_t>(i)});
  }
  EXPECT_EQ(cpu::place_blocks(blocks, joints), 64 * size_t{kCount});
  for (int i = 0; i < kCount; ++i)
    ASSERT_EQ(blocks[static_cast<size_t>(i) + 1].offset, blocks[0].offset + 64 * static_cast<size_t>(i));
}

// A whole that would take memory long before it is made is done without, not so the others.
TEST(Memory, PartsThatCostTooMuchLieApart) {
  constexpr size_t kLine = 64;
  std::vector<cpu::PlacedBlock> blocks = {
      {1000 * kLine, 10, 20}, {500 * kLine, 0, 10}, {1000 * kLine, 0, 9},                        // whole, part, another
      {100 * kLine, 30, 31},  {50 * kLine, 31, 32}, {50 * kLine, 31, 32}, {20 * kLine, 31, 32},  // cut, halves, another
  };
  const cpu::JointBlocks joints[] = {{1, 0, 0}, {4, 3, 0}, {5, 3, 50 * kLine}};
  EXPECT_EQ(cpu::place_blocks(blocks, joints), 1500 * kLine);
  EXPECT_NE(blocks[1].offset, blocks[0].offset);
  EXPECT_EQ(blocks[4].offset, blocks[3].offset);
  EXPECT_EQ(blocks[5].offset, blocks[3].offset + 50 * kLine);
}

TEST(Memory, EmptyExtentsRun) {
  for (uint64_t seed = 1000; seed < 1030; ++seed) {
    const auto module = random_module(seed);
    const auto executable = compiled(*module);
    const auto context = executable->make_context(1);
    for (const auto& [n, h, w] : {std::array<int64_t, 3>{0, 4, 4}, {2, 3, 3}, {0, 4, 4}}) {
      const auto inputs = random_inputs(*module, n, h, w, seed);
      std::vector<Datum> truth;
      // Where the reference refuses (a maximum over no elements may be one), so may the plan.
      if (!error_of([&] { truth = widened(*module, inputs); }).empty()) continue;
      ASSERT_EQ(differences(executable->run(inputs, *context), truth, {1e-3, 1e-4}), "") << "seed " << seed << "\n"
                                                                                         << print(*module);
    }
  }
}

TEST(Memory, CapacityIsThatOfTheLargestExtents) {
  for (uint64_t seed = 2000; seed < 2020; ++seed) {
    const auto module = random_module(seed);
    const auto executable = compiled(*module);
    const auto context = executable->make_context(2);
    size_t largest = 0;
    for (int64_t w : {7, 90, 33, 64, 90, 12, 71, 5}) {
      const auto inputs = random_inputs(*module, 2, 16, w, seed);
      executable->run(inputs, *context);
      const auto fresh = executable->make_context(2);
      executable->run(inputs, *fresh);
      largest = std::max(largest, fresh->memory().capacity);
      EXPECT_LE(context->memory().capacity, largest) << "seed " << seed << ", width " << w;
    }
  }
}

// Packed forms of one memory differ with the extents that it is viewed with.
TEST(Memory, WeightsSharedUnderOtherExtentsArePackedApart) {
  const auto module = parse_module(R"(graph @main(%column: f32[3,2], %row: f32[4,1]) {
  %w = constant dense<[[2], [3]]> : f32[2,1]
  %flat = constant dense<[1, 2]> : i64[2]
  %v = reshape %w, %flat
  %a = matmul %column, %w
  %b = matmul %row, %v
  return %a, %b
}
)",
                                   "program");
  const std::vector<Datum> inputs = {Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}),
                                     Tensor::of<float>({4, 1}, {1, -1, 0.5F, 7})};
  const auto executable = compiled(*module);
  const auto context = executable->make_context(1);
  EXPECT_EQ(differences(executable->run(inputs, *context), widened(*module, inputs)), "");
}

// A chain of elementwise steps over one value needs one buffer.
TEST(Memory, ChainsRunInPlace) {
  Module m;
  Builder b(m.main());
  Value* v = m.main().add_input(Type::tensor(DType::f32, Shape({Dim::symbol("N"), Dim(64)})), "x");
  v = b.make<Tanh>({v});
  for (int i = 0; i < 6; ++i) v = b.make<Softmax>({b.make<Sigmoid>({v})});
  m.main().set_outputs(std::vector{b.make<ReduceSum>({v})});
  CompileOptions options;
  options.level = 0;
  const auto executable = compiled(m, options);
  const auto context = executable->make_context(1);
  Tensor x(DType::f32, {1000, 64});
  executable->run({x}, *context);
  EXPECT_LT(context->memory().planned, x.bytes() + 4096);
  // A larger batch needs memory in proportion.
  executable->run({Tensor(DType::f32, {2000, 64})}, *context);
  EXPECT_LT(context->memory().planned, 2 * x.bytes() + 4096);
}

// Whatever pages a result takes, the next one of its size has them again.
TEST(Memory, ResultsComeFromTheSamePages) {
  const auto pool = std::make_shared<cpu::TensorPool>();
  for (const int64_t bytes : {1 << 10, 700'000, 1 << 20, 1'572'864, 3'211'264, 4'000'000, 9'000'000}) {
    const void* const first = pool->make(DType::u8, {bytes}).data();
    EXPECT_EQ(pool->make(DType::u8, {bytes}).data(), first) << bytes;
  }
}

TEST(Memory, RecycledOutputsDoNotAccumulate) {
  const auto pool = std::make_shared<cpu::TensorPool>();
  int64_t most = 0;
  for (int64_t n : {100, 5000, 300, 40000, 7, 20000, 900, 41000, 13000, 2}) {
    const Tensor a = pool->make(DType::f32, {n}), b = pool->make(DType::f32, {2 * n});
    most = std::max(most, 3 * n * 4);
    EXPECT_LE(pool->held_bytes(), static_cast<size_t>(most + most / 4) + 256)
        << "after tensors of " << n << " and " << 2 * n;
  }
  // Steady sizes use the same blocks again.
  const void* first = nullptr;
  for (int i = 0; i < 3; ++i) {
    const Tensor t = pool->make(DType::f32, {1000});
    if (first) {
      EXPECT_EQ(t.data(), first);
    }
    first = t.data();
  }
}

// A matrix that several products share is packed once for the same scales, and again for others. A zero
// point of all is no part of that.
TEST(PackedWeights, TellScalesApart) {
  Module m;
  Builder b(m.main());
  Value* x = m.main().add_input(Type::tensor(DType::f32, Shape({Dim(2), Dim(32)})), "x");
  std::vector<uint8_t> numbers(32 * 16);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<uint8_t>(i * 37);
  Value* w = b.constant(Tensor::of<uint8_t>({32, 16}, numbers));
  std::vector<Value*> outputs;
  for (const float scale : {0.01F, 0.02F, 0.01F})
    for (const int zero : {3, 200})
      outputs.push_back(
          b.make<FusedDequantizeMatMul>({x, w, b.constant(Tensor::scalar<float>(scale)),
                                         b.constant(Tensor::scalar<uint8_t>(static_cast<uint8_t>(zero)))}));
  m.main().set_outputs(outputs);
  std::vector<float> row(64);
  for (size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(i % 7) - 3;
  expect_agreement(m, {{Tensor::of<float>({2, 32}, row)}});
  CompileOptions plain;
  plain.level = 0;
  EXPECT_EQ(compiled(m, plain)->packed_weights(), 2);
}

// An executable has no weights beside packed ones, the program that it was compiled from keeps its own.
TEST(PackedWeights, ReplaceOthers) {
  Module m;
  Builder b(m.main());
  const auto filled = [&](Extents extents, float first) {
    Tensor t(DType::f32, std::move(extents));
    for (float& v : t.mutable_span<float>()) v = first, first = first < 1 ? first + 0.01F : 0.1F;
    return t;
  };
  Value* x = m.main().add_input(Type::tensor(DType::f32, Shape({Dim(1), Dim(16), Dim(9), Dim(9)})), "x");
  Value* normalised = b.make<BatchNormalization>({b.make<Conv>({x, b.constant(filled({32, 16, 3, 3}, 0.2F))}),
                                                  b.constant(filled({32}, 0.5F)), b.constant(filled({32}, 0.1F)),
                                                  b.constant(filled({32}, 0.3F)), b.constant(filled({32}, 0.7F))});
  m.main().set_outputs(std::vector{normalised, b.make<Conv>({normalised, b.constant(filled({16, 32, 3, 3}, 0.4F))})});
  const auto weights = [](const Graph& graph, bool defined) {
    int count = 0;
    walk(graph, [&](const Node& n) {
      count += n.is<Constant>() && n.result(0)->shape().rank() == 4 && n.result(0)->constant()->defined() == defined;
    });
    return count;
  };
  const auto executable = compiled(m);
  EXPECT_EQ(weights(executable->graph(), false), 2);
  EXPECT_EQ(weights(executable->graph(), true), 0);
  EXPECT_EQ(weights(m.main(), true), 2);
  EXPECT_NE(print(executable->graph()).find("constant  : f32[32,16,3,3]"), std::string::npos);
  expect_agreement(m, {{filled({1, 16, 9, 9}, 0.15F)}, {filled({1, 16, 9, 9}, 0.6F)}});
}

// Weights of a mapped file are packed for few rows or for many when runs come that have such, also several at once; so
// are, for many, others that are exact in 16 bits.
void expect_packed_as_asked(bool mapped, int64_t numbers, float divisor, bool exact) {
  struct Mapped : MappedMemory {
    std::vector<float> numbers;
    void give_back(const void*, size_t) const override {}
    void fetch(const void*, size_t) const override {}
  };
  // More than L2 holds.
  const kernels::CpuInfo& cpu = kernels::cpu_info();
  const int64_t columns = static_cast<int64_t>(cpu.l2_bytes / sizeof(float)) / 600 + 9;
  const auto file = std::make_shared<Mapped>();
  for (int64_t i = 0; i < 600 * columns; ++i) file->numbers.push_back(static_cast<float>(i * 29 % numbers) / divisor);
  Module m;
  Builder b(m.main());
  Value* x = m.main().add_input(Type::tensor(DType::f32, Shape({Dim::symbol("N"), Dim(600)})), "x");
  Value* w =
      b.constant(Tensor::view(DType::f32, {600, columns}, file->numbers.data(), file, mapped ? file.get() : nullptr));
  m.main().set_outputs(std::vector{b.make<MatMul>({x, w})});
  std::vector<std::vector<Datum>> runs;
  for (const int64_t rows : {70, 1, 5, 2, 0, 1}) {
    Tensor t(DType::f32, {rows, 600});
    int k = 0;
    for (float& v : t.mutable_span<float>()) v = static_cast<float>(k++ % 9);
    runs.push_back({t});
  }
  expect_agreement(m, runs);

  const auto executable = compiled(m);
  const kernels::GemmTraits traits = kernels::table(executable->tier()).gemm.traits.fn();
  const bool far = traits.few_rows > 0 && (!cpu.amd || cpu.l3_bytes <= cpu.l2_bytes);
  const bool apart = mapped && (traits.splits || far);
  EXPECT_EQ(executable->packed_weights(), apart ? 0 : 1);
  std::atomic<int> wrong{0};
  std::vector<std::thread> workers;
  for (size_t k = 0; k < 4; ++k)
    workers.emplace_back([&, k] {
      const auto context = executable->make_context(1);
      const Datum y = executable->run(runs[k], *context)[0];
      if (!identical(y, executable->run(runs[k], *executable->make_context(1))[0])) ++wrong;
    });
  for (auto& t : workers) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(executable->packed_weights(), apart ? 2 : 1);
  const auto halved = static_cast<size_t>(600 * columns) * 3;  // not even three bytes for each
  if (!mapped && far) {
    EXPECT_EQ(executable->packed_bytes() < halved, exact);
  }
}

TEST(PackedWeights, AreMadeAsRunsAskForThem) {
  for (const bool mapped : {true, false}) {
    expect_packed_as_asked(mapped, 101, 61, false);
    expect_packed_as_asked(mapped, 101, 64, true);         // as bf16
    expect_packed_as_asked(mapped, 2049, 16 << 20, true);  // as f16, some of it below its least normal number
  }
}

}  // namespace
}  // namespace tc
