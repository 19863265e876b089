#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tc/ir/builder.h"
#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"
#include "tc/ir/text/spelling.h"
#include "tc/ir/verify.h"

namespace tc {
namespace {

std::string reprint(const std::string& text) {
  return print(*parse_module(text, "test.tc"));
}

const Tensor& constant(const Module& m, int i) {
  auto node = m.main().nodes().begin();
  std::advance(node, i);
  return *(*node)->result()->constant();
}

// The files are as the printer has them.
TEST(Text, CanonicalTextIsAFixedPoint) {
  int files = 0;
  for (const auto& e : std::filesystem::directory_iterator(TC_SOURCE_DIR "/tests/ir/samples")) {
    SCOPED_TRACE(e.path().string());
    std::ifstream in(e.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(reprint(text), text);
    EXPECT_EQ(print(*clone(*parse_module(text, "test.tc"))), text);
    ++files;
  }
  EXPECT_GE(files, 4);
}

TEST(Text, HandwrittenFormsBecomeCanonical) {
  EXPECT_EQ(reprint(R"(// a comment
graph @g (%x : f32[ 2 * N - N , 3+1 ] , %"y": f32[max(N,2)], %cond: bool[])   // another
{
  %17=relu %x    // numbers are given anew
  %b = call@later %17
  %c = if %cond ({ %r = relu %b return %r }, () { %r = neg %b : f32[N,4] return %r })
  return %17,%c:"a","b" }
func @later(%x: f32[N,4]) { return %x }
)"),
            R"(func @later(%x: f32[N,4]) {
  return %x
}
graph @g(%x: f32[N,4], %y: f32[max(2,N)], %cond: bool[]) {
  %0 = relu %x : f32[N,4]
  %b = call @later %0 : f32[N,4]
  %c = if %cond ({
    %r = relu %b : f32[N,4]
    return %r
  }, {
    %r#1 = neg %b : f32[N,4]
    return %r#1
  }) : f32[N,4]
  return %0, %c : "a", "b"
}
)");
}

TEST(Text, LiteralsFromNothing) {
  const std::string text = R"(graph @g() {
  %z = constant zeros : f32[1000]
  %a = constant random(1) : f32[20000]
  %b = constant random(1, 0.5) : f64[20000]
  %c = constant @r
  %s = constant dense<"x"> : str[40]
  return %z, %a, %b, %c
}
resource @r : f32[20000] = random(2)
)";
  const auto m = parse_module(text, "test.tc"), again = parse_module(text, "test.tc");
  EXPECT_TRUE(constant(*m, 0).identical(Tensor(DType::f32, {1000})));
  EXPECT_TRUE(constant(*m, 1).identical(constant(*again, 1)));
  EXPECT_FALSE(constant(*m, 1).identical(constant(*m, 3)));
  double sum = 0, squares = 0, scaled = 0;
  for (float v : constant(*m, 1).span<float>()) sum += v, squares += v * v;
  for (double v : constant(*m, 2).span<double>()) scaled += v * v;
  EXPECT_NEAR(sum / 20000, 0, 0.03);
  EXPECT_NEAR(squares / 20000, 1, 0.05);
  EXPECT_NEAR(scaled / 20000, 0.25, 0.0125);
  EXPECT_EQ(constant(*m, 4).span<std::string>()[39], "x");
  const std::string printed = print(*m);
  EXPECT_EQ(reprint(printed), printed);
  EXPECT_NE(printed.find("%z = constant dense<0> : f32[1000]"), std::string::npos);
}

TEST(Text, NodesThatShareATensorShareAResource) {
  Module m;
  const Tensor t = Tensor::of<float>({3}, {1, 2, 3});
  Builder b(m.main());
  m.main().set_outputs(std::vector<Value*>{b.constant(t, "w"), b.constant(t, "v"), b.constant(t.clone(), "w"),
                                           b.constant(t.reshaped({3, 1}), "w")});
  const PrintOptions options{.max_inline = 2};
  const std::string text = print(m, options);
  EXPECT_EQ(text, R"(graph @main() {
  %w = constant @w : f32[3]
  %v = constant @w : f32[3]
  %w#1 = constant @w#1 : f32[3]
  %w#2 = constant @w#2 : f32[3,1]
  return %w, %v, %w#1, %w#2
}
resource @w : f32[3] = hex"0000803f0000004000004040"
resource @w#1 : f32[3] = hex"0000803f0000004000004040"
resource @w#2 : f32[3,1] = hex"0000803f0000004000004040"
)");
  const auto again = parse_module(text, "test.tc");
  EXPECT_EQ(constant(*again, 0).data(), constant(*again, 1).data());
  EXPECT_EQ(print(*again, options), text);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(constant(*again, i).identical(constant(m, i)));
}

TEST(Text, MisalignedViewsPrintTheirElements) {
  alignas(8) char bytes[4 * 20 + 1] = {};
  for (int i = 0; i < 20; ++i) {
    const float v = static_cast<float>(i);
    std::memcpy(bytes + 1 + 4 * i, &v, 4);
  }
  Module m;
  Builder b(m.main());
  m.main().set_outputs(std::vector<Value*>{b.constant(Tensor::view(DType::f32, {3}, bytes + 5, nullptr)),
                                           b.constant(Tensor::view(DType::f32, {20}, bytes + 1, nullptr))});
  const std::string text = print(m);
  EXPECT_NE(text.find("dense<[1, 2, 3]>"), std::string::npos);
  EXPECT_EQ(reprint(text), text);
}

TEST(Text, Options) {
  const auto m = parse_module(R"(graph @g(%x: f32[3]) {
  %w = constant @w : f32[3]
  %y = add %x, %w : f32[3]  loc("here")
  return %y  loc("there")
}
resource @w : f32[3] = hex"0000803f0000004000004040"
)",
                              "test.tc");
  EXPECT_EQ(print(*m, {.locations = false}).find("loc("), std::string::npos);
  const std::string elided = print(*m, {.elide_weights = true, .max_inline = 2});
  EXPECT_NE(elided.find("resource @w : f32[3] = elided(0x"), std::string::npos);
  EXPECT_THROW(parse_module(elided, "test.tc"), Error);
  Tensor other = constant(*m, 0);
  other.mutable_span<float>()[2] = 4;
  auto changed = std::make_shared<Constant::Attrs>();
  changed->value = other;
  m->main().first()->set_attrs(changed);
  EXPECT_NE(print(*m, {.elide_weights = true, .max_inline = 2}), elided);
}

TEST(Text, SingleNodesAndGraphs) {
  const auto m = parse_module(R"(func @f(%x: f32[]) {
  return %x
}
graph @g(%x: f32[], %c: bool[]) {
  %0 = relu %x
  %1 = if %c (@then {
    %2 = relu %0
    return %2
  }, {
    return %0
  })
  return %1
}
)",
                              "test.tc");
  Node* branch = m->main().terminator()->operand(0)->def();
  EXPECT_EQ(print(*branch), "%1 = if %c (@then {...}, {...}) : f32[]");
  EXPECT_EQ(print(*branch->region(0).first()), "%2 = relu %0 : f32[]");
  EXPECT_EQ(print(*m->find_function("f")), "func @f(%x: f32[]) {\n  return %x\n}\n");
  EXPECT_EQ(print(*m).find("func @f"), 0u);
  const auto detached = make_node(*m, OpId::Relu, std::vector<Value*>{m->main().input(0)}, nullptr, 1, {}, {});
  EXPECT_EQ(print(*detached), "%3 = relu %x : f32[]");
}

TEST(Text, DeclaredTypesAreKept) {
  const auto m = parse_module(R"(graph @g(%x: f32[N], %c: bool[]) {
  %y = relu %x : f32[8]
  %z = relu %x : f32[*]
  %r = if %c ({
    %a = relu %x : f32[8]
    return %a
  }, {
    %b = relu %x : f32[8]
    return %b
  })
  return %y, %z, %r
}
)",
                              "test.tc");
  EXPECT_EQ(m->main().output(0)->type().str(), "f32[8]");
  EXPECT_EQ(m->main().output(1)->type().str(), "f32[*]");
  const std::string text = print(*m);
  EXPECT_EQ(reprint(text), text);
  EXPECT_EQ(print(*clone(*m)), text);
  EXPECT_NE(text.find("%a = relu %x : f32[8]"), std::string::npos);
}

TEST(Text, UnknownExtentsOfTheTextAndOfInferenceDiffer) {
  const auto m = parse_module(R"(graph @g(%x: f32[?1,N], %s: i64[2]) {
  %y = reshape %x, %s
  return %y
}
)",
                              "test.tc");
  const Shape& s = m->main().output(0)->shape();
  for (const Dim& d : s.dims()) EXPECT_NE(d, Dim::symbol("?1"));
  EXPECT_GE(m->next_symbol(), 2u);
}

TEST(Text, ContentsAreFollowedAgain) {
  const auto m = parse_module(R"(graph @g(%x: f32[N,C,4]) {
  %n = shape %x {end = 1}
  %rest = constant dense<[-1]> : i64[1]
  %s = concat %n, %rest {axis = 0}
  %y = reshape %x, %s
  return %y
}
)",
                              "test.tc");
  EXPECT_EQ(m->main().output(0)->type().str(), "f32[N,4*C]");
}

TEST(Text, StringsSurviveWhateverTheyHold) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (const std::string& s : {all, std::string("\xe4\xb8\xad"), std::string("\xc0\x80"), std::string("\xed\xa0\x80"),
                               std::string("\xf4\x90\x80\x80"), std::string()}) {
    const std::string q = text::quoted(s);
    EXPECT_EQ(text::unescaped(std::string_view(q).substr(1, q.size() - 2)), s);
    for (char c : q) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }
  EXPECT_EQ(text::quoted("\xe4\xb8\xad"), "\"\xe4\xb8\xad\"");
  EXPECT_EQ(text::quoted("\xc0\x80"), "\"\\xc0\\x80\"");
  Module m;
  m.metadata[all] = all;
  Value* v = m.main().add_input(Type::tensor(DType::f32, {Dim::symbol(all)}), all);
  Value* w = m.main().add_input(v->type(), all);
  m.main().set_outputs(std::vector<Value*>{v, w});
  m.main().terminator()->set_location(all);
  m.main().output_names = {all, all};
  const auto again = parse_module(print(m), "test.tc");
  EXPECT_EQ(print(*again), print(m));
  EXPECT_EQ(again->main().input(1)->name(), all);
  EXPECT_EQ(again->main().input(0)->type(), v->type());
  EXPECT_EQ(again->metadata, m.metadata);
}

TEST(Text, EveryCodeOfEveryNarrowTypeSurvives) {
  Module m;
  Builder b(m.main());
  std::vector<Value*> outputs;
  for (DType t :
       {DType::f8e4m3fn, DType::f8e4m3fnuz, DType::f8e5m2, DType::f8e5m2fnuz, DType::f8e8m0, DType::i8, DType::u8}) {
    Tensor all(t, {256});
    for (int i = 0; i < 256; ++i) static_cast<uint8_t*>(all.mutable_data())[i] = static_cast<uint8_t>(i);
    outputs.push_back(b.constant(all));
  }
  for (DType t : {DType::f16, DType::bf16}) {
    Tensor all(t, {65536});
    for (int i = 0; i < 65536; ++i) static_cast<uint16_t*>(all.mutable_data())[i] = static_cast<uint16_t>(i);
    outputs.push_back(b.constant(all));
  }
  m.main().set_outputs(outputs);
  const auto again = parse_module(print(m, {.max_inline = 1 << 20}), "test.tc");
  for (size_t i = 0; i < outputs.size(); ++i)
    EXPECT_TRUE(again->main().output(static_cast<int>(i))->constant()->identical(*outputs[i]->constant()))
        << outputs[i]->type();
}

}  // namespace
}  // namespace tc
