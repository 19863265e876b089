// The file: names, metadata, functions, external data, errors.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tc/ir/eval/interp.h"
#include "tc/ir/text/parse.h"
#include "tc/tools/common/compare.h"
#include "tests/backend/onnx/sample_export.h"

namespace fs = std::filesystem;

namespace tc {
namespace {

class Export : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tc_export_XXXXXX").string();
    ASSERT_TRUE(mkdtemp(name.data()));
    folder = name;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::permissions(folder, fs::perms::owner_all, ignored);
    fs::remove_all(folder, ignored);
  }
  std::string path(const char* name) const { return (folder / name).string(); }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  fs::path folder;
};

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.diagnostic().message;
  }
  return "no error";
}

Function read(const std::string& bytes) {
  const auto owner = std::make_shared<std::string>(bytes);
  return load_onnx(owner->data(), owner->size(), owner);
}

constexpr std::string_view kMlp = R"(
metadata "doc_string" = "a small network"
metadata "author" = "someone"
graph @mlp(%x: f32[batch,2]) {
  %fc.w = constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : f32[2,3]
  %h = matmul %x, %fc.w : f32[batch,3]    loc("fc/MatMul")
  %1 = relu %h : f32[batch,3]             loc("model.cc:12")
  return %1, %h : "y", "hidden"
}
)";

TEST_F(Export, KeepsNames) {
  const Function f = parse(kMlp);
  const Function back = read(export_onnx_bytes(f));
  EXPECT_EQ(back.inputs()[0].name, "x");
  EXPECT_EQ(back.outputs()[0].name, "y");
  EXPECT_EQ(back.outputs()[1].name, "hidden");
  EXPECT_EQ(back.outputs()[0].type.str(), "f32[batch,3]");
  const std::string text = back.str();
  EXPECT_NE(text.find("%fc.w = constant"), text.npos) << text;
  EXPECT_NE(text.find("loc(\"fc/MatMul\")"), text.npos) << text;
  // A place in a source file is documentation, not a name.
  EXPECT_EQ(text.find("loc(\"model.cc:12\")"), text.npos) << text;
  EXPECT_NE(export_onnx_bytes(f).find("model.cc:12"), std::string::npos);
  EXPECT_EQ(back.module().metadata.at("doc_string"), "a small network");
  EXPECT_EQ(back.module().metadata.at("author"), "someone");
  EXPECT_EQ(back.module().metadata.at("producer_name"), "tc");
  EXPECT_EQ(back.module().metadata.at("opset.ai.onnx"), "18");
  EXPECT_EQ(back.module().metadata.at("ir_version"), "8");
}

TEST_F(Export, SaysWhatItIsToldToSay) {
  const Function back = read(export_onnx_bytes(
      parse(kMlp),
      {.opset = 23, .graph_name = "g", .doc_string = "other", .producer_name = "me", .producer_version = "3"}));
  EXPECT_EQ(back.module().main().name(), "g");
  EXPECT_EQ(back.module().metadata.at("doc_string"), "other");
  EXPECT_EQ(back.module().metadata.at("producer_name"), "me");
  EXPECT_EQ(back.module().metadata.at("producer_version"), "3");
  EXPECT_EQ(back.module().metadata.at("ir_version"), "11");
}

TEST_F(Export, IsDeterministic) {
  for (const Sample& s : all_samples()) {
    BuiltSample a(s), b(s);
    const DialectCase d{ExportTarget::standard, 21};
    EXPECT_EQ(export_sample(*a.graph.module, d).bytes, export_sample(*b.graph.module, d).bytes) << s.name;
  }
}

// One value under two names, an input that is an output, a constant that is one: each needs a node of its own.
TEST_F(Export, OutputsThatAreNoNodes) {
  const Function f = parse(R"(
graph @g(%x: f32[2]) {
  %c = constant dense<[1.0, 2.0]> : f32[2]
  %y = add %x, %c : f32[2]
  return %y, %y, %x, %c : "a", "b", "same", "weight"
}
)");
  const Function back = read(export_onnx_bytes(f));
  const auto out = interpret(back.module(), {Tensor::of<float>({2}, {1, 1})});
  ASSERT_EQ(out.size(), 4u);
  for (int i : {0, 1})
    EXPECT_EQ(difference(out[static_cast<size_t>(i)], Tensor::of<float>({2}, {2, 3}), {0, 0, 0}), "");
  EXPECT_EQ(difference(out[2], Tensor::of<float>({2}, {1, 1}), {0, 0, 0}), "");
  EXPECT_EQ(difference(out[3], Tensor::of<float>({2}, {1, 2}), {0, 0, 0}), "");
  EXPECT_EQ(back.outputs()[2].name, "same");
}

constexpr std::string_view kCalls = R"(
func @my.domain.Twice(%v: f32[N]) {
  %two = constant dense<2.0> : f32[]
  %0 = mul %v, %two : f32[N]
  return %0 : "r"
}
graph @g(%x: f32[N]) {
  %0 = call @my.domain.Twice %x : f32[N]
  %1 = call @my.domain.Twice %0 : f32[N]
  return %1 : "y"
}
)";

TEST_F(Export, FunctionsInlinedOrLocal) {
  const Function f = parse(kCalls);
  for (const int opset : {13, 18, 25}) {
    const Function flat = read(export_onnx_bytes(f, {.opset = opset}));
    const Function local = read(export_onnx_bytes(f, {.opset = opset, .functions = ExportFunctions::local}));
    EXPECT_EQ(flat.module().functions().size(), 0u);
    ASSERT_EQ(local.module().functions().size(), 1u);
    EXPECT_EQ(local.module().functions()[0]->name(), "my.domain.Twice");
    for (const Function* g : {&flat, &local})
      EXPECT_EQ(difference(interpret(g->module(), {Tensor::of<float>({2}, {1, -3})})[0],
                           Tensor::of<float>({2}, {4, -12}), {0, 0, 0}),
                "");
  }
}

TEST_F(Export, FusedOpsAsLocalFunctions) {
  SampleGraph g;
  Value *x = g.input(DType::f32, {2, 3}), *w = g.input(DType::f32, {3, 4});
  FusedMatMul::Attrs relu;
  relu.activation = Activation::relu;
  Value* a = g.b.make<FusedMatMul>({x, w}, relu);
  Value* b = g.b.make<FusedMatMul>({x, w}, relu);
  g.outputs({a, b});
  const Function back = read(onnx::export_bytes(*g.module, {.functions = ExportFunctions::local}));
  ASSERT_EQ(back.module().functions().size(), 1u) << "one function serves both";
  const auto expected = interpret(*g.module, g.inputs), actual = interpret(back.module(), g.inputs);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(difference(actual[i], expected[i], {1e-6, 0, 0}), "");
}

TEST_F(Export, ExternalData) {
  SampleGraph g;
  const Tensor large = g.random(DType::f32, {1000}), nibbles = g.random(DType::i4, {3001}, -8, 7);
  const Tensor small = g.random(DType::f32, {4}), huge = g.random(DType::f32, {300000});
  const auto sum = [&](Value* v) { return g.b.make<ReduceSum>({v, nullptr}, {.keepdims = false}); };
  g.outputs({sum(g.b.constant(large, "large")), g.b.make<Cast>({g.b.constant(nibbles, "nibbles")}, {.to = DType::f32}),
             sum(g.b.constant(small, "small")), sum(g.b.constant(huge, "huge"))});
  const std::string file = path("m.onnx");
  onnx::export_file(*g.module, file, {.opset = 21, .external_data = ExternalData::always});
  EXPECT_EQ(fs::file_size(file + ".data") % 4, 0u);
  EXPECT_LT(fs::file_size(file), 2000u);
  EXPECT_EQ(files(), 2u) << "nothing temporary remains";
  const Function back = load(file);
  const auto expected = interpret(*g.module, {}), actual = interpret(back.module(), {});
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(difference(actual[i], expected[i], {0, 0, 0}), "") << i;
  // A higher threshold keeps more inside.
  onnx::export_file(*g.module, file,
                    {.opset = 21, .external_data = ExternalData::always, .external_threshold = 100000});
  EXPECT_GT(fs::file_size(file), 5000u);
  // Written over what it was read from.
  const auto again = load(file);
  onnx::export_file(again.module(), file, {.opset = 21});
  EXPECT_EQ(difference(interpret(load(file).module(), {})[3], expected[3], {0, 0, 0}), "");
  EXPECT_NE(message_of([&] { onnx::export_bytes(*g.module, {.external_data = ExternalData::always}); }), "no error");
}

TEST_F(Export, ReplacesAFileWhole) {
  const Function f = parse(kMlp);
  const std::string file = path("m.onnx");
  std::ofstream(file) << "old";
  export_onnx(f, file);
  EXPECT_EQ(slurp(file), export_onnx_bytes(f));
  // Through a link, which stays one.
  fs::create_symlink("m.onnx", path("link.onnx"));
  export_onnx(f, path("link.onnx"), {.opset = 15});
  EXPECT_TRUE(fs::is_symlink(path("link.onnx")));
  EXPECT_EQ(slurp(file), export_onnx_bytes(f, {.opset = 15}));
  EXPECT_EQ(files(), 2u);
}

TEST_F(Export, BadPlacesAreOneClearError) {
  const Function f = parse(kMlp);
  const auto error = [&](const std::string& where) { return message_of([&] { export_onnx(f, where); }); };
  EXPECT_EQ(error(path("absent/m.onnx")), cat("cannot write ", path("absent/m.onnx"), ": No such file or directory"));
  EXPECT_EQ(error(folder.string()), cat("cannot write ", folder.string(), ": it is not a regular file"));
  EXPECT_EQ(error("/dev/null"), "cannot write /dev/null: it is not a regular file");
  EXPECT_EQ(error(""), "cannot write a file without a name");
  EXPECT_EQ(error(path("a/b\0c")), cat("cannot write ", path("a/b"), ": No such file or directory"));
  if (geteuid() != 0) {
    fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_EQ(error(path("m.onnx")), cat("cannot write ", path("m.onnx"), ": Permission denied"));
  }
}

// A limit on file sizes stands in for a full disk: writes fail in the same way.
TEST_F(Export, NoRoomLeavesWhatWasThere) {
  SampleGraph g;
  g.outputs({g.b.make<Neg>({g.b.constant(g.random(DType::f32, {100000}))})});
  const std::string file = path("m.onnx");
  std::ofstream(file) << "old";
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = 65536;
  setrlimit(RLIMIT_FSIZE, &limit);
  const std::string inside = message_of([&] { onnx::export_file(*g.module, file); });
  const std::string beside =
      message_of([&] { onnx::export_file(*g.module, file, {.external_data = ExternalData::always}); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(inside, cat("cannot write ", file, ": File too large"));
  EXPECT_EQ(beside, cat("cannot write ", file, ".data: File too large"));
  EXPECT_EQ(slurp(file), "old");
  EXPECT_EQ(files(), 1u) << "nothing temporary remains";
}

TEST_F(Export, ListsAllThatCannotBeExpressed) {
  const Function f = parse(R"(
graph @g(%x: u8[4]) {
  %0 = bitwise_and %x, %x : u8[4]      loc("first")
  %1 = bitwise_or %0, %x : u8[4]       loc("second")
  return %1 : "y"
}
)");
  try {
    export_onnx(f, path("m.onnx"), {.opset = 13});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::unsupported);
    EXPECT_EQ(e.diagnostic().message,
              "2 nodes cannot be exported, the first: bitwise_and at first: BitwiseAnd exists from opset 18 on");
    ASSERT_EQ(e.diagnostic().notes.size(), 1u);
    EXPECT_EQ(e.diagnostic().notes[0], "bitwise_or at second: BitwiseOr exists from opset 18 on");
  }
  EXPECT_EQ(files(), 0u);
  EXPECT_EQ(message_of([&] { export_onnx(f, path("m.onnx"), {.opset = 12}); }),
            "opset 12 cannot be written, only 13 to 28");
  EXPECT_EQ(message_of([&] { export_onnx(f, path("m.onnx"), {.opset = 29}); }),
            "opset 29 cannot be written, only 13 to 28");
  EXPECT_EQ(message_of([&] { export_onnx(f, path("m.onnx"), {.opset = 27, .target = ExportTarget::ort}); }),
            "ONNX Runtime does not read opset 27, only up to 26");
}

TEST_F(Export, ResultsThatNobodyAskedForHaveNames) {
  const Function f = parse(R"(
graph @g(%x: str[2]) {
  %0 = string_split %x {delimiter = ","} : str[2,?0]
  return %0 : "y"
}
)");
  export_onnx(f, path("m.onnx"), {.opset = 20});
  const Tensor x = Tensor::of<std::string>({2}, {"a,b", "c"});
  const Datum y = interpret(load(path("m.onnx")).module(), {x})[0];
  EXPECT_TRUE(y.tensor().identical(Tensor::of<std::string>({2, 2}, {"a", "b", "c", ""})));
}

// The standard asks for the rank of what goes in and comes out of a model; some have none.
TEST_F(Export, SaysWhereNoRankIsKnown) {
  const Function f = parse(R"(
graph @g(%x: f32[*], %n: f32[2]) {
  %0 = relu %x : f32[*]
  return %0, %n : "y", "m"
}
)");
  for (const int opset : {13, 17, 18, 25}) {
    const ExportReport report = export_onnx(f, path("m.onnx"), {.opset = opset});
    EXPECT_EQ(report.str(),
              "graph: 'x' has no shape in the file: its rank is not known\n"
              "graph: 'y' has no shape in the file: its rank is not known\n");
    const Function back = load(path("m.onnx"));
    EXPECT_EQ(back.inputs()[0].type.str(), "f32[*]");
    EXPECT_EQ(back.outputs()[0].type.str(), "f32[*]");
    EXPECT_EQ(back.outputs()[1].type.str(), "f32[2]");
  }
}

TEST_F(Export, ReportsWhatItChanged) {
  const Function f = parse(R"(
graph @g(%x: f32[4]) {
  %0 = gelu %x : f32[4]      loc("first")
  %1 = gelu %0 : f32[4]      loc("second")
  return %1 : "y"
}
)");
  const ExportReport report = export_onnx(f, path("m.onnx"), {.opset = 18});
  ASSERT_EQ(report.changes.size(), 2u);
  EXPECT_EQ(report.str(), "gelu: decomposed: Gelu exists from opset 20 on (2 times), first at first\n");
  EXPECT_EQ(export_onnx(f, path("m.onnx"), {.opset = 20}).str(), "");
}

}  // namespace
}  // namespace tc
