// Each file of tests/errors begins with what reading it must say:
//   // error: CODE at LINE:COLUMN: part of the message
//   // note: part of a note          (optional)
// The place is `-` for errors that the verifier finds.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"

namespace tc {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::filesystem::path> files(const std::string& folder) {
  std::set<std::filesystem::path> sorted;
  for (const auto& e : std::filesystem::directory_iterator(TC_SOURCE_DIR + folder))
    if (e.path().extension() == ".tc") sorted.insert(e.path());
  return {sorted.begin(), sorted.end()};
}

TEST(ParseError, Table) {
  const auto paths = files("/tests/errors");
  ASSERT_GT(paths.size(), 40u);
  for (const auto& path : paths) {
    SCOPED_TRACE(path.filename().string());
    const std::string text = read(path), prefix = "// error: ";
    ASSERT_EQ(text.compare(0, prefix.size(), prefix), 0);
    const std::string expected = text.substr(prefix.size(), text.find('\n') - prefix.size());
    const size_t at = expected.find(" at "), colon = expected.find(": ", at);
    ASSERT_NE(at, std::string::npos);
    ASSERT_NE(colon, std::string::npos);
    const std::string code = expected.substr(0, at), place = expected.substr(at + 4, colon - at - 4),
                      message = expected.substr(colon + 2);
    try {
      parse_module(text, "x.tc");
      ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
      const Diagnostic& d = e.diagnostic();
      EXPECT_EQ(to_string(d.code), code) << e.what();
      EXPECT_EQ(place == "-" ? place : d.location, place == "-" ? place : "x.tc:" + place) << e.what();
      EXPECT_NE(d.message.find(message), std::string::npos) << e.what();
      if (const size_t note = text.find("\n// note: "); note != std::string::npos) {
        const std::string part = text.substr(note + 10, text.find('\n', note + 1) - note - 10);
        std::string notes;
        for (const auto& n : d.notes) notes += n + "\n";
        EXPECT_NE(notes.find(part), std::string::npos) << e.what();
      }
    }
  }
}

// Damaged text is read or refused, with an error of ours; what is read prints and reads again.
TEST(ParseError, DamagedTextNeverCrashes) {
  std::vector<std::string> bad, good;
  for (const auto& path : files("/tests/errors")) bad.push_back(read(path));
  for (const auto& path : files("/tests/ir/samples")) good.push_back(read(path));
  std::mt19937 random(11);
  const auto pick = [&](size_t n) { return n ? random() % n : 0; };
  const std::string alphabet = "%@#?{}()[]<>=,:*+-\"\\/ \n.0123456789abcdefxN_\x80\xff";
  ParseOptions options;
  options.max_generated = 1 << 20;
  int accepted = 0;
  const int rounds = 20000;
  for (int i = 0; i < rounds; ++i) {
    const auto& seeds = i % 2 ? bad : good;
    std::string text = seeds[pick(seeds.size())];
    for (size_t k = 1 + pick(3); k--;) {
      const size_t from = pick(text.size()), length = pick(12);
      switch (pick(6)) {
        case 0:
          text.resize(from);
          break;
        case 1:
          text.erase(from, length);
          break;
        case 2:
          text.insert(from, 1, alphabet[pick(alphabet.size())]);
          break;
        case 3:
          if (!text.empty()) text[from] = alphabet[pick(alphabet.size())];
          break;
        case 4:
          text.insert(from, text.substr(pick(text.size()), 4 * length));
          break;
        case 5: {
          const std::string& other = seeds[pick(seeds.size())];
          text.insert(from, other.substr(pick(other.size()), 4 * length));
          break;
        }
      }
    }
    try {
      const auto m = parse_module(text, "x.tc", options);
      ++accepted;
      const std::string printed = print(*m);
      ASSERT_EQ(print(*parse_module(printed, "again.tc")), printed) << text;
    } catch (const Error& e) {
      ASSERT_NE(e.code(), ErrorCode::internal) << e.what() << "\n" << text;
    }
  }
  EXPECT_GT(accepted, rounds / 100);
}

std::string repeated(const std::string& s, int n) {
  std::string r;
  for (int i = 0; i < n; ++i) r += s;
  return r;
}

TEST(ParseError, DeepNestingIsRefused) {
  constexpr int kDeep = 100000;
  const std::string in = "graph @g(%x: ", out = ") { return }";
  for (const std::string& type :
       {repeated("seq<", kDeep), "f32[" + repeated("(", kDeep), "f32[" + repeated("max(", kDeep),
        "f32[" + repeated("max(N,", kDeep), repeated("map<i64,", kDeep)})
    EXPECT_THROW(parse_module(in + type + out, "x.tc"), Error);
  EXPECT_THROW(parse_module("graph @g() {" + repeated(" %a = identity _ ({", kDeep), "x.tc"), Error);
  EXPECT_THROW(
      parse_module("graph @g() {" + repeated(" %a = identity _ ({", kDeep) + repeated("}", kDeep) + "}", "x.tc"),
      Error);
  EXPECT_THROW(parse_module("graph @g() { %a = constant dense<" + repeated("[", kDeep) + "> : f32[2] return }", "x.tc"),
               Error);
}

TEST(ParseError, GeneratedTensorsHaveABudget) {
  const auto text = [](const std::string& literal) {
    return "graph @g() {\n  %a = constant " + literal + "\n  return %a\n}\n";
  };
  EXPECT_THROW(parse_module(text("dense<0> : f32[1000000000000]"), "x.tc"), Error);
  EXPECT_THROW(parse_module(text("dense<[0]> : f32[1000000000000]"), "x.tc"), Error);
  EXPECT_THROW(parse_module(text("zeros : f32[1000]"), "x.tc", {.max_generated = 3999}), Error);
  EXPECT_NO_THROW(parse_module(text("zeros : f32[1000]"), "x.tc", {.max_generated = 4000}));
  EXPECT_THROW(parse_module("resource @a : f32[600] = zeros\nresource @b : f32[600] = random(1)\n" + text("@a"), "x.tc",
                            {.max_generated = 4000}),
               Error);
}

}  // namespace
}  // namespace tc
