#include "tc/ir/graph.h"

#include <gtest/gtest.h>

#include "tc/ir/builder.h"
#include "tc/ir/text/print.h"
#include "tc/ir/verify.h"
#include "types.h"

namespace tc {
namespace {

std::vector<std::pair<const Node*, int>> users(const Value* v) {
  std::vector<std::pair<const Node*, int>> result;
  for (const Use* u : v->uses()) result.emplace_back(u->user(), u->index());
  std::sort(result.begin(), result.end(), [](auto& a, auto& b) { return a.second < b.second; });
  return result;
}

struct GraphTest : testing::Test {
  Module m;
  Graph& g = m.main();
  Builder b{g};
  Value* x = g.add_input(f32({2}), "x");
  Value* y = g.add_input(f32({2}), "y");
};

TEST_F(GraphTest, UseListsFollowEveryMutation) {
  Value* a = b.make<Identity>({x});
  Value* c = b.make<Identity>({x});
  g.set_outputs(std::vector<Value*>{a, c, x, x});
  Node* t = g.terminator();
  EXPECT_EQ(x->uses().size(), 4u);
  x->replace_all_uses_with(y);
  EXPECT_TRUE(x->unused());
  EXPECT_EQ(y->uses().size(), 4u);
  EXPECT_EQ(a->def()->operand(0), y);
  t->set_operand(2, a);
  EXPECT_EQ(users(a), (std::vector<std::pair<const Node*, int>>{{t, 0}, {t, 2}}));
  t->set_operand(2, a);
  EXPECT_EQ(a->uses().size(), 2u);
  t->set_operands(std::vector<Value*>{c});
  EXPECT_TRUE(a->unused());
  EXPECT_TRUE(c->single_use());
  EXPECT_EQ(y->uses().size(), 2u);
  verify(m);
  g.erase(a->def());
  EXPECT_TRUE(y->single_use());
  EXPECT_THROW(g.erase(c->def()), Error);
  verify(m);
  EXPECT_THROW(y->replace_all_uses_with(y), Error);
}

TEST_F(GraphTest, TrailingAbsentOperandsAreDropped) {
  Node* n = b.make_n<Return>({x, nullptr, y, nullptr, nullptr}, {}, 0);
  EXPECT_EQ(n->num_operands(), 3);
  EXPECT_EQ(n->operand(1), nullptr);
  EXPECT_EQ(n->operand(7), nullptr);
  n->set_operands(std::vector<Value*>{nullptr});
  EXPECT_EQ(n->num_operands(), 0);
  EXPECT_TRUE(x->unused());
}

TEST_F(GraphTest, DetachedNodesKeepTheirOperands) {
  Value* a = b.make<Identity>({x});
  g.set_outputs(std::vector<Value*>{x});
  auto node = g.detach(a->def());
  EXPECT_EQ(node->graph(), nullptr);
  EXPECT_EQ(x->uses().size(), 2u);
  EXPECT_NE(print(*node).find("identity %x"), std::string::npos);
  g.insert(std::move(node));
  EXPECT_EQ(a->def()->next(), g.terminator());
  verify(m);
  auto gone = g.detach(a->def());
  gone.reset();
  EXPECT_TRUE(x->single_use());
}

TEST_F(GraphTest, OrderOfNodes) {
  Value* a = b.make<Identity>({x});
  Value* c = b.make<Identity>({y});
  g.set_outputs(std::vector<Value*>{a, c});
  EXPECT_EQ(g.first(), a->def());
  g.move_before(c->def(), a->def());
  EXPECT_EQ(g.first(), c->def());
  EXPECT_EQ(c->def()->next(), a->def());
  EXPECT_EQ(a->def()->prev(), c->def());
  EXPECT_EQ(c->def()->prev(), nullptr);
  EXPECT_EQ(g.terminator()->next(), nullptr);
  Value* d = b.make<Identity>({a});
  EXPECT_EQ(d->def()->next(), g.terminator());
  verify(m);
}

TEST_F(GraphTest, InputsAreErasedByIndex) {
  Value* z = g.add_input(f32({3}), "z");
  g.set_outputs(std::vector<Value*>{x, z});
  EXPECT_THROW(g.erase_input(0), Error);
  g.erase_input(1);
  EXPECT_EQ(g.num_inputs(), 2);
  EXPECT_EQ(z->index(), 1);
  verify(m);
}

TEST_F(GraphTest, RegionsMayCapture) {
  auto region = std::make_unique<Graph>(m, "body");
  Value* inner_input = region->add_input(f32({2}), "i");
  Value* inner = Builder(*region).make<Identity>({x});
  region->set_outputs(std::vector<Value*>{inner, inner_input, y});
  Graph* r = region.get();
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(region));
  Node* n = b.make_n<Identity>({y}, {}, 1, std::move(regions));
  g.set_outputs(std::vector<Value*>{n->result()});
  EXPECT_EQ(r->owner(), n);
  EXPECT_EQ(r->parent(), &g);
  EXPECT_EQ(captures(*r), (std::vector<Value*>{x, y}));
  EXPECT_EQ(x->uses().size(), 1u);
  EXPECT_EQ(y->uses().size(), 2u);
  std::vector<OpId> order;
  walk(g, [&](Node& node) { order.push_back(node.op()); });
  EXPECT_EQ(order, (std::vector<OpId>{OpId::Identity, OpId::Identity, OpId::Return, OpId::Return}));

  const auto copy = clone(m);
  EXPECT_EQ(print(*copy), print(m));
  Graph& copied = copy->main().first()->region(0);
  EXPECT_EQ(captures(copied), (std::vector<Value*>{copy->main().input(0), copy->main().input(1)}));

  // Cloning into the same graph keeps captures, or maps them.
  const auto outputs = clone_into(*r, g, n, {{inner_input, y}, {x, y}});
  EXPECT_EQ(outputs, (std::vector<Value*>{g.first()->result(), y, y}));
  EXPECT_EQ(g.first()->operand(0), y);

  g.set_outputs(std::vector<Value*>{y});
  g.erase(n);
  EXPECT_TRUE(x->unused());
}

TEST_F(GraphTest, ModulesAreClonedWhole) {
  Graph& f = m.add_function("f");
  Value* in = f.add_input(f32({Dim::symbol("N")}), "in");
  f.set_outputs(std::vector<Value*>{in});
  f.output_names = {"out"};
  Node* call = b.make_n<Call>({x}, {"f"}, 1);
  call->set_location("here");
  call->result()->set_name("r");
  g.set_outputs(std::vector<Value*>{call->result()});
  call->result()->set_type(x->type());
  g.donations = {{0, 1}};
  m.metadata["k"] = "v";
  m.reserve_symbols(5);
  const auto copy = clone(m);
  EXPECT_EQ(print(*copy), print(m));
  EXPECT_EQ(copy->next_symbol(), 5u);
  EXPECT_NE(copy->find_function("f"), &f);
  verify(*copy);
  EXPECT_THROW(m.add_function("f"), Error);
}

TEST_F(GraphTest, InferenceKeepsTheTypesOfUnchangedNodes) {
  Graph& f = m.add_function("f");
  Value* in = f.add_input(f32({m.fresh_symbol()}));
  Builder inside(f);
  Value* found = inside.make<Compress>({in, inside.make<Greater>({in, inside.scalar(0.0f)})});
  f.set_outputs(std::vector<Value*>{in, found, inside.make<Neg>({found})});
  EXPECT_EQ(found->type().str(), "f32[?1]");
  // What the function finds is of each call.
  std::string before = found->type().str();
  for (int calls = 0; calls < 2; ++calls) {
    Node* call = b.make_n<Call>({x}, {"f"}, 3);
    const std::string unknown = call->result(1)->type().str();
    EXPECT_NE(unknown, before);
    for (int again = 0; again < 2; ++again) {
      EXPECT_EQ(call->result(0)->type().str(), "f32[2]");
      EXPECT_EQ(call->result(1)->type().str(), unknown);
      EXPECT_EQ(call->result(2)->type().str(), unknown);
      infer_types(*call);
    }
    before = unknown;
  }
  Value* c = b.ints({3, 4});
  ASSERT_TRUE(c->contents());
  EXPECT_EQ(*c->contents(), (Dims{3, 4}));
  EXPECT_EQ(c->constant()->size(), 2);
  EXPECT_EQ(x->constant(), nullptr);
}

TEST_F(GraphTest, IllFormedGraphsAreDestroyedSafely) {
  Value* a = b.make<Identity>({x});
  Value* c = b.make<Identity>({a});
  g.set_outputs(std::vector<Value*>{c});
  g.move_before(c->def(), a->def());
  EXPECT_THROW(verify(m), Error);
}

TEST_F(GraphTest, SignaturesAreChecked) {
  EXPECT_THROW(b.make<Identity>({}), Error);
  EXPECT_THROW(b.make<Identity>({x, y}), Error);
  EXPECT_THROW(b.make_n<Identity>({x}, {}, 2), Error);
  EXPECT_THROW(b.make<Call>({x}, {"nobody"}), Error);
  EXPECT_THROW(b.make<Constant>({}), Error);
  EXPECT_TRUE(x->unused());
}

}  // namespace
}  // namespace tc
