// Attention to columns of one value, which it reads where they lie.
#include <gtest/gtest.h>

#include <cmath>

#include "compare.h"
#include "tc/backend/cpu/plan/plan.h"
#include "tc/ir/builder.h"

namespace tc {
namespace {

Tensor waves(Extents e) {
  Tensor t(DType::f32, std::move(e));
  int i = 0;
  for (float& x : t.mutable_span<float>()) x = std::sin(0.37F * static_cast<float>(i++));
  return t;
}

Tensor numbers(std::initializer_list<int64_t> values) {
  Tensor t(DType::i64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.mutable_span<int64_t>().begin());
  return t;
}

// x holds 3 heads of 5 columns of queries, and as many of keys; of values, 3 of 4.
constexpr int64_t kHeads = 3, kSize = 5, kValues = 4, kWidth = kHeads * (2 * kSize + kValues) + 2;

enum class Parts { slices, split };

// Also gives out what `extra` of the parts are.
void attend(Module& m, Parts parts, int extra) {
  Builder b(m.main());
  Value* x =
      m.main().add_input(Type::tensor(DType::f32, Shape({Dim::symbol("batch"), Dim::symbol("length"), kWidth})), "x");
  const int64_t ends[] = {0, kHeads * kSize, 2 * kHeads * kSize, kWidth - 2};
  std::vector<Value*> operands;
  if (parts == Parts::slices) {
    for (int i = 0; i < 3; ++i)
      operands.push_back(b.make<Slice>(
          {x, b.constant(numbers({ends[i]})), b.constant(numbers({ends[i + 1]})), b.constant(numbers({2}))}));
  } else {
    Node* split = b.make_n<Split>({x, b.constant(numbers({ends[1], ends[1], ends[3] - ends[2], 2}))},
                                  {.axis = -1, .num_outputs = {}}, 4);
    for (int i = 0; i < 3; ++i) operands.push_back(split->result(i));
  }
  std::vector<Value*> outputs{b.make<Attention>(operands, {.kv_num_heads = kHeads, .q_num_heads = kHeads})};
  for (int i = 0; i < extra; ++i) outputs.push_back(operands[static_cast<size_t>(i)]);
  m.main().set_outputs(outputs);
}

TEST(Attention, ReadsColumnsWhereTheyLie) {
  for (const Parts parts : {Parts::slices, Parts::split})
    for (const int extra : {0, 1}) {
      Module m;
      attend(m, parts, extra);
      for (const kernels::Tier tier : machine_tiers()) {
        CompileOptions options;
        options.isa = tier;
        const auto executable = compiled(m, options);
        int copies = 0;
        walk_steps(executable->plan(), [&](const cpu::Step& s, int) { copies += !s.node->is<Attention>(); });
        EXPECT_EQ(copies, extra);
        const auto context = executable->make_context(2);
        for (const auto& [batch, length] : std::vector<std::pair<int64_t, int64_t>>{{2, 7}, {1, 70}, {3, 1}, {0, 4}}) {
          const std::vector<Datum> inputs{waves({batch, length, kWidth})};
          EXPECT_EQ(differences(executable->run(inputs, *context), widened(m, inputs)), "") << batch << " " << length;
        }
      }
    }
}

}  // namespace
}  // namespace tc
