#include "tc/ir/verify.h"

#include <gtest/gtest.h>

#include "tc/ir/builder.h"
#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"
#include "types.h"

namespace tc {
namespace {

// A well-formed module that each test breaks in one way.
struct VerifyTest : testing::Test {
  Module m;
  Graph& f = m.add_function("f");
  Graph& h = m.add_function("h");
  Graph& g = m.main();
  Value *x, *y, *a;
  Node* call;

  VerifyTest() {
    for (Graph* function : {&f, &h}) {
      Value* in = function->add_input(f32({Dim::symbol("N")}), "in");
      function->set_outputs(std::vector<Value*>{Builder(*function).make<Identity>({in})});
    }
    x = g.add_input(f32({2}), "x");
    y = g.add_input(f32({3}), "y");
    Builder b(g);
    b.set_location("layer/Identity");
    a = b.make<Identity>({x});
    a->set_name("a");
    b.set_location("layer/Call");
    call = b.make_n<Call>({a}, {"f"}, 1);
    g.set_outputs(std::vector<Value*>{a, call->result()});
    verify(m);
  }

  void expect_rejected(const std::string& part, const std::string& location = {}, const std::string& line = {}) {
    const uint64_t symbols = m.next_symbol();
    const std::string before = print(m);
    try {
      verify(m);
      ADD_FAILURE() << "accepted:\n" << before;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_graph);
      EXPECT_NE(e.diagnostic().message.find(part), std::string::npos) << e.what();
      EXPECT_EQ(e.diagnostic().location, location) << e.what();
      if (!line.empty()) {
        ASSERT_EQ(e.diagnostic().notes.size(), 1u);
        EXPECT_EQ(e.diagnostic().notes[0], line);
      }
    }
    EXPECT_EQ(print(m), before) << "verification changed the module";
    EXPECT_EQ(m.next_symbol(), symbols);
  }
};

TEST_F(VerifyTest, UseBeforeDefinition) {
  g.move_before(call, a->def());
  expect_rejected("operand 0 is not defined before its use", "layer/Call", "%0 = call @f %a : f32[2]");
}

TEST_F(VerifyTest, OwnResultAsOperand) {
  a->def()->set_operand(0, a);
  expect_rejected("operand 0 is not defined before its use", "layer/Identity");
}

TEST_F(VerifyTest, ValueOfAnotherFunction) {
  call->set_operand(0, f.input(0));
  expect_rejected("operand 0 is a value of a graph that this node is not in", "layer/Call", "%0 = call @f %? : f32[2]");
  EXPECT_THROW(verify(g), Error);
}

TEST_F(VerifyTest, UserOutsideTheGraph) {
  auto detached = make_node(m, OpId::Identity, std::vector<Value*>{a}, nullptr, 1, {}, "stray");
  expect_rejected("operand 0 is a value of a graph that this node is not in", "stray");
  detached.reset();
  verify(m);
}

TEST_F(VerifyTest, NoTerminator) {
  const auto t = g.detach(g.terminator());
  expect_rejected("does not end in return");
}

TEST_F(VerifyTest, TerminatorInTheMiddle) {
  g.insert(make_node(m, OpId::Return, std::vector<Value*>{x}, nullptr, 0, {}, "early"), call);
  expect_rejected("return is not the last node", "early");
}

TEST_F(VerifyTest, EmptyGraph) {
  m.add_function("empty");
  expect_rejected("does not end in return");
}

TEST_F(VerifyTest, TypeThatInferenceContradicts) {
  a->set_type(f32({5}));
  expect_rejected("result 0 has type f32[5], inference says f32[2]", "layer/Identity");
  a->set_type(Type::tensor(DType::f64, {2}));
  expect_rejected("result 0 has type f64[2]", "layer/Identity");
  a->set_type(f32({Dim::symbol("M")}));
  verify(m);
}

TEST_F(VerifyTest, OperandsThatDoNotFitTheSignature) {
  a->def()->set_operands({});
  expect_rejected("inference fails: identity takes 1 operands, got 0", "layer/Identity");
}

TEST_F(VerifyTest, OperandsThatInferenceRefuses) {
  a->def()->set_operand(0, y);
  a->set_type(f32({3}));
  call->result()->set_type(f32({3}));
  verify(m);
  f.input(0)->set_type(f32({2}));
  f.output(0)->set_type(f32({2}));
  expect_rejected("argument 0 of @f", "layer/Call");
}

TEST_F(VerifyTest, MissingAttributes) {
  a->def()->set_attrs(nullptr);
  expect_rejected("no attributes", "layer/Identity");
}

TEST_F(VerifyTest, MissingResults) {
  g.insert(make_node(m, OpId::Identity, std::vector<Value*>{x}, nullptr, 0, {}, "silent"), call);
  expect_rejected("has 1 results or more, not 0", "silent");
}

TEST_F(VerifyTest, RegionsWhereNoneBelong) {
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::make_unique<Graph>(m));
  regions[0]->set_outputs({});
  g.insert(make_node(m, OpId::Identity, std::vector<Value*>{x}, nullptr, 1, std::move(regions), "odd"), call);
  expect_rejected("has 0 regions, not 1", "odd");
}

TEST_F(VerifyTest, OutputNames) {
  g.output_names = {"only one"};
  expect_rejected("2 outputs, but 1 output names", "return");
  g.output_names = {"one", "two"};
  verify(m);
}

TEST_F(VerifyTest, Donations) {
  g.donations = {{0, 0}};
  verify(m);
  g.donations = {{0, 1}};
  expect_rejected("the types differ", "return");
  g.donations = {{2, 0}};
  expect_rejected("there is no such one", "return");
  g.donations = {{0, -1}};
  expect_rejected("there is no such one", "return");
  g.donations = {{0, 0}, {0, 0}};
  expect_rejected("takes part in two donations", "return");
}

TEST_F(VerifyTest, CalledFunctionIsNotThere) {
  m.erase_function("f");
  expect_rejected("there is no function @f", "layer/Call");
}

TEST_F(VerifyTest, FunctionsWithOneName) {
  h.set_name("f");
  expect_rejected("two functions are called @f");
}

TEST_F(VerifyTest, Recursion) {
  Node* in_h = Builder(h).make_n<Call>({h.input(0)}, {"f"}, 1);
  verify(m);
  Builder b(f);
  b.set_location("back");
  b.make_n<Call>({f.input(0)}, {"h"}, 1);
  expect_rejected("recursion: @", in_h->location().empty() ? "call" : in_h->location());
}

TEST_F(VerifyTest, DirectRecursion) {
  Builder b(f);
  b.set_location("itself");
  b.make_n<Call>({f.input(0)}, {"f"}, 1);
  expect_rejected("recursion: @f calls @f", "itself");
}

struct VerifyRegions : testing::Test {
  std::unique_ptr<Module> m = parse_module(R"(graph @g(%c: bool[], %x: f32[2]) {
  %a = relu %x
  %r = if %c ({
    %t = relu %a
    return %t
  }, {
    %e = relu %a
    return %e
  })  loc("choice")
  %z = relu %r
  return %z
}
)",
                                           "regions.tc");
  Graph& g = m->main();
  Node* choice = g.output(0)->def()->operand(0)->def();
  Node *then = choice->region(0).first(), *other = choice->region(1).first();

  void expect_rejected(const std::string& part, const std::string& line) {
    try {
      verify(*m);
      ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("note: " + line), std::string::npos) << e.what();
    }
  }
};

TEST_F(VerifyRegions, WellFormed) {
  verify(*m);
  verify(choice->region(0));
  verify(choice->region(1));
}

TEST_F(VerifyRegions, ValueOfTheOtherRegion) {
  other->set_operand(0, then->result());
  expect_rejected("operand 0 is not defined before its use", "%e = relu %t : f32[2]");
  EXPECT_THROW(verify(choice->region(1)), Error);
}

TEST_F(VerifyRegions, ValueOfARegionOutside) {
  choice->next()->set_operand(0, then->result());
  expect_rejected("operand 0 is not defined before its use", "%z = relu %t : f32[2]");
}

TEST_F(VerifyRegions, OwnResultInside) {
  then->set_operand(0, choice->result());
  expect_rejected("operand 0 is not defined before its use", "%t = relu %r : f32[2]");
}

TEST_F(VerifyRegions, CaptureBeforeItsDefinition) {
  g.move_before(choice, g.first());
  expect_rejected("operand 0 is not defined before its use", "%t = relu %a : f32[2]");
  EXPECT_THROW(verify(choice->region(0)), Error);
}

TEST_F(VerifyRegions, RegionThatDoesNotReturn) {
  const auto t = choice->region(1).detach(choice->region(1).terminator());
  expect_rejected("in a region: the graph does not end in return", "%r = if %c ({...}, {...}) : f32[2]");
}

TEST_F(VerifyRegions, BranchesOfDifferentTypes) {
  const auto i = make_node(*m, OpId::Constant, {},
                           [] {
                             auto a = std::make_shared<Constant::Attrs>();
                             a->value = Tensor::scalar<int64_t>(1);
                             return a;
                           }(),
                           1, {}, {});
  choice->region(1).terminator()->set_operand(0, i->result());
  EXPECT_THROW(verify(*m), Error);
}

TEST(Verify, LongChainsOfCallsAndNodes) {
  Module m;
  const Type t = f32({2});
  for (int i = 0; i < 5000; ++i) {
    Graph& f = m.add_function("f" + std::to_string(i));
    Value* in = f.add_input(t);
    f.set_outputs(std::vector<Value*>{i ? Builder(f).make<Call>({in}, {"f" + std::to_string(i - 1)}) : in});
  }
  Value* v = m.main().add_input(t);
  Builder b(m.main());
  for (int i = 0; i < 50000; ++i) v = b.make<Identity>({v});
  m.main().set_outputs(std::vector<Value*>{v});
  verify(m);
  const std::string text = print(m);
  EXPECT_EQ(print(*parse_module(text, "long.tc")), text);
}

}  // namespace
}  // namespace tc
