// Worst errors of the elementary functions, over all f32 arguments and samples of f64, on each instruction set of this
// machine, in the interpreter and in ONNX Runtime. docs/accuracy-table.md has them, and is a ratchet.
//
//   TC_ACCURACY_STRIDE=N   every N-th f32 (65537 by default; 1: all of them)
//   TC_BLESS=1             writes the table
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "tc/ir/eval/interp.h"
#include "tc/kernels/cpu.h"
#include "tc/tc.h"
#include "tests/peers/peer.h"

namespace tc {
namespace {

using Real = long double;

struct Row {
  const char* name;
  Var (*function)(Var x);
  double (*narrow)(double x);  // more precise than any f32
  Real (*wide)(Real x);        // more precise than any f64
  double low, high;            // of the arguments; beyond them results are constant, infinite or NaN
};

template <class T>
T sigmoid_of(T x) {
  return 1 / (1 + std::exp(-x));
}
template <class T>
T softplus_of(T x) {
  return std::fmax(x, T(0)) + std::log1p(std::exp(-std::fabs(x)));
}

#define TC_ROW(name, dsl, expression, low, high)                                           \
  {                                                                                        \
    name, [](Var x) -> Var { return dsl; }, [](double x) -> double { return expression; }, \
        [](Real x) -> Real { return expression; }, low, high                               \
  }
constexpr double kAll = std::numeric_limits<double>::infinity();
const Row kRows[] = {
    TC_ROW("exp", exp(x), std::exp(x), -kAll, kAll),
    TC_ROW("expm1", expm1(x), std::expm1(x), -kAll, kAll),
    TC_ROW("log", log(x), std::log(x), 0, kAll),
    TC_ROW("log1p", log1p(x), std::log1p(x), -1, kAll),
    TC_ROW("sqrt", sqrt(x), std::sqrt(x), 0, kAll),
    TC_ROW("sin", sin(x), std::sin(x), -1e6, 1e6),
    TC_ROW("cos", cos(x), std::cos(x), -1e6, 1e6),
    TC_ROW("tan", tan(x), std::tan(x), -1e6, 1e6),
    TC_ROW("asin", asin(x), std::asin(x), -1, 1),
    TC_ROW("acos", acos(x), std::acos(x), -1, 1),
    TC_ROW("atan", atan(x), std::atan(x), -kAll, kAll),
    TC_ROW("sinh", sinh(x), std::sinh(x), -kAll, kAll),
    TC_ROW("cosh", cosh(x), std::cosh(x), -kAll, kAll),
    TC_ROW("tanh", tanh(x), std::tanh(x), -kAll, kAll),
    TC_ROW("asinh", asinh(x), std::asinh(x), -kAll, kAll),
    TC_ROW("acosh", acosh(x), std::acosh(x), 1, kAll),
    TC_ROW("atanh", atanh(x), std::atanh(x), -1, 1),
    TC_ROW("erf", erf(x), std::erf(x), -kAll, kAll),
    TC_ROW("sigmoid", sigmoid(x), sigmoid_of(x), -kAll, kAll),
    TC_ROW("softplus", softplus(x), softplus_of(x), -kAll, kAll),
    TC_ROW("silu", silu(x), x* sigmoid_of(x), -80, kAll),
    TC_ROW("mish", mish(x), x* std::tanh(softplus_of(x)), -80, kAll),
    TC_ROW("gelu", gelu(x), x*(std::erfc(-x* std::sqrt(decltype(x)(0.5))) / 2), -5, kAll),
    TC_ROW("softsign", softsign(x), x / (1 + std::fabs(x)), -kAll, kAll),
};
#undef TC_ROW

// In units of the last place of the exact result, where subnormals share one unit; infinite for another kind of result.
template <class T, class R>
double ulps(T got, R exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isnan(got)) return std::isnan(rounded) && std::isnan(got) ? 0 : kAll;
  if (got == rounded)
    return static_cast<double>(std::fabs(static_cast<R>(got) - exact)) == 0 || std::isinf(got) ? 0 : 0.5;
  constexpr int kDigits = std::numeric_limits<T>::digits - 1, kLeast = std::numeric_limits<T>::min_exponent - 1;
  if (std::isinf(rounded) || std::isinf(got)) {
    // Next to the overflow bound either answer is within one unit.
    const R largest = std::numeric_limits<T>::max();
    return std::fabs(exact) > largest * (1 - std::ldexp(R(1), -kDigits)) &&
                   std::fabs(exact) < largest * (1 + std::ldexp(R(1), -kDigits))
               ? 1
               : kAll;
  }
  const int exponent = rounded == 0 ? kLeast : std::max(std::ilogb(rounded), kLeast);
  return static_cast<double>(std::fabs(static_cast<R>(got) - exact) / std::ldexp(R(1), exponent - kDigits));
}

// Arguments in blocks: every `stride`-th f32 by its bits, or as many f64 spread likewise.
template <class T>
std::vector<T> block(const Row& row, uint64_t first, uint64_t count, uint64_t stride) {
  std::vector<T> x;
  for (uint64_t i = 0; i < count; ++i) {
    T v;
    if constexpr (std::is_same_v<T, float>)
      v = std::bit_cast<float>(static_cast<uint32_t>((first + i) * stride));
    else
      v = std::bit_cast<double>((first + i) * stride);
    if (v >= row.low && v <= row.high) x.push_back(v);
  }
  return x;
}

struct Worst {
  std::map<std::string, double> by_engine;
  std::map<std::string, double> where;
};

std::vector<std::string> tiers() {
  std::vector<std::string> names;
  for (const char* name : {"sse42", "avx2", "avx512"})
    if (*kernels::parse_tier(name) <= kernels::active_tier()) names.emplace_back(name);
  return names;
}

template <class T>
void note(Worst& worst, const std::string& engine, const std::vector<T>& x, std::span<const T> y,
          const std::vector<std::conditional_t<std::is_same_v<T, float>, double, Real>>& exact) {
  double& error = worst.by_engine[engine];
  for (size_t i = 0; i < x.size(); ++i)
    if (const double e = ulps(y[i], exact[i]); e > error) error = e, worst.where[engine] = static_cast<double>(x[i]);
}

template <class T>
using ExactOf = std::conditional_t<std::is_same_v<T, float>, double, Real>;

template <class T>
std::vector<ExactOf<T>> exact_of(const Row& row, const std::vector<T>& x) {
  std::vector<ExactOf<T>> exact(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    if constexpr (std::is_same_v<T, float>)
      exact[i] = row.narrow(x[i]);
    else
      exact[i] = row.wide(x[i]);
  }
  return exact;
}

// Arguments of the default run, of which the interpreter, which is slow, has no more in any run.
constexpr uint64_t kFew = 65535, kFewStride = 65537;

template <class T>
uint64_t stride_of(uint64_t count, uint64_t of_f32) {
  return std::is_same_v<T, float> ? of_f32 : UINT64_MAX / count | 1;
}

template <class T>
void measure(const Row& row, uint64_t count, uint64_t of_f32, Worst& worst) {
  const DType type = std::is_same_v<T, float> ? f32 : f64;
  const Function f = trace(row.name, {{"x", type, {"n"}}}, [&](Var x) { return row.function(x); });
  std::map<std::string, Compiled> engines;
  for (const std::string& tier : tiers()) engines.emplace(tier, compile(f, {.isa = tier}));
  constexpr uint64_t kBlock = 1 << 18;
  const uint64_t stride = stride_of<T>(count, of_f32);
  for (uint64_t first = 0; first < count; first += kBlock) {
    const auto x = block<T>(row, first, std::min(kBlock, count - first), stride);
    if (x.empty()) continue;
    const auto exact = exact_of(row, x);
    const Tensor in = Tensor::of<T>({static_cast<int64_t>(x.size())}, x);
    for (const auto& [name, engine] : engines) {
      const Tensor y = engine({in})[0];
      note<T>(worst, name, x, y.span<T>(), exact);
    }
  }
  if (worst.by_engine.count("interpreter")) return;
  const auto x = block<T>(row, 0, kFew, stride_of<T>(kFew, kFewStride));
  const Tensor y = interpret(f.module(), {Tensor::of<T>({static_cast<int64_t>(x.size())}, x)})[0].tensor();
  note<T>(worst, "interpreter", x, y.span<T>(), exact_of(row, x));
}

// ONNX Runtime on the exported file, in one process for all.
std::map<std::string, Worst> measure_peer(uint64_t count, uint64_t stride) {
  std::map<std::string, Worst> worst;
  if (peers::node_modules().empty()) return worst;
  std::vector<peers::Job> jobs;
  std::vector<std::vector<float>> arguments;
  for (const Row& row : kRows) {
    const Function f = trace(row.name, {{"x", f32, {"n"}}}, [&](Var x) { return row.function(x); });
    arguments.push_back(block<float>(row, 0, count, stride));
    const auto& x = arguments.back();
    jobs.push_back({.model = {},
                    .inputs = {{"x", Tensor::of<float>({static_cast<int64_t>(x.size())}, x)}},
                    .bytes = export_onnx_bytes(f, {.target = ort})});
  }
  const auto outcomes = peers::onnx_runtime(jobs);
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (!outcomes[i].error.empty()) continue;
    std::vector<double> exact;
    for (const float x : arguments[i]) exact.push_back(kRows[i].narrow(x));
    note<float>(worst[kRows[i].name], "onnxruntime", arguments[i], outcomes[i].outputs.at(0).second.span<float>(),
                exact);
  }
  return worst;
}

std::string shown(double error) {
  if (std::isinf(error)) return "other kind";
  std::ostringstream out;
  if (error >= 1000)
    out << std::scientific << std::setprecision(0) << error;
  else
    out << std::fixed << std::setprecision(2) << error;
  return out.str();
}

constexpr const char* kBegin = "<!-- worst errors: written by accuracy_test -->\n";
constexpr const char* kEnd = "<!-- end -->\n";
const std::string kPage = TC_SOURCE_DIR "/docs/accuracy-table.md";

std::string page() {
  std::ifstream in(kPage);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The cells of the page's table: row, column, text.
std::map<std::pair<std::string, std::string>, double> bounds() {
  const std::string text = page();
  const size_t begin = text.find(kBegin), end = text.find(kEnd);
  std::map<std::pair<std::string, std::string>, double> cells;
  if (begin == text.npos || end == text.npos) return cells;
  std::istringstream lines(text.substr(begin, end - begin));
  std::vector<std::string> columns;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string field; std::getline(parts, field, '|');) {
      const size_t a = field.find_first_not_of(' '), b = field.find_last_not_of(' ');
      fields.push_back(a == field.npos ? "" : field.substr(a, b - a + 1));
    }
    if (fields.size() < 3 || fields[1].starts_with("-")) continue;
    if (columns.empty()) {
      columns = fields;
      continue;
    }
    for (size_t i = 2; i < fields.size() && i < columns.size(); ++i)
      if (!fields[i].empty() && std::isdigit(static_cast<unsigned char>(fields[i][0])))
        cells[{fields[1], columns[i]}] = std::stod(fields[i]);
  }
  return cells;
}

std::string domain(const Row& row) {
  if (std::isinf(row.low) && std::isinf(row.high)) return "all";
  std::ostringstream out;
  out << (std::isinf(row.low) ? "all" : cat(row.low)) << " to " << (std::isinf(row.high) ? "all" : cat(row.high));
  if (std::isinf(row.high)) return cat("from ", row.low);
  return out.str();
}

TEST(Accuracy, WorstErrorsAreThoseOfThePage) {
  const char* const given = std::getenv("TC_ACCURACY_STRIDE");
  const uint64_t stride = given ? std::max<uint64_t>(std::strtoull(given, nullptr, 10), 1) : kFewStride;
  const uint64_t count = (uint64_t{1} << 32) / stride;
  const auto known = bounds();
  const bool bless = std::getenv("TC_BLESS") != nullptr;
  const uint64_t peer_count = std::min<uint64_t>(count, 1 << 20), peer_stride = (uint64_t{1} << 32) / peer_count | 1;
  auto peer = bless ? measure_peer(peer_count, peer_stride) : std::map<std::string, Worst>();
  std::vector<std::string> columns = {"sse42", "avx2", "avx512", "interpreter"};
  std::ostringstream table;
  table << "| function | arguments |";
  for (const auto& c : columns) table << " f32 " << c << " |";
  table << " f32 onnxruntime |";
  for (const auto& c : columns) table << " f64 " << c << " |";
  table << "\n|" << std::string("---|").append("---|");
  for (size_t i = 0; i < 2 * columns.size() + 1; ++i) table << "---|";
  table << "\n";
  for (const Row& row : kRows) {
    Worst narrow, wide;
    measure<float>(row, count, stride, narrow);
    // As many f64 at most: their references are slow.
    measure<double>(row, std::min<uint64_t>(count, 10'000'000), 0, wide);
    if (bless) {
      // Few arguments may meet a worse one than many others.
      measure<float>(row, kFew, kFewStride, narrow);
      measure<double>(row, kFew, 0, wide);
    }
    table << "| " << row.name << " | " << domain(row) << " |";
    const auto cell = [&](const Worst& w, const std::string& type, const std::string& engine) {
      const auto it = w.by_engine.find(engine);
      table << " " << (it == w.by_engine.end() ? "" : shown(it->second)) << " |";
      if (it == w.by_engine.end() || bless) return;
      const auto bound = known.find({row.name, type + " " + engine});
      ASSERT_NE(bound, known.end()) << row.name << ": not in docs/accuracy-table.md; TC_BLESS=1 writes it";
      // Large ones are written with one digit.
      EXPECT_LE(it->second, bound->second * (bound->second < 1000 ? 1.001 : 1.5) + 0.011)
          << row.name << " of " << type << " at " << std::setprecision(17) << w.where.at(engine) << ", " << engine;
    };
    for (const auto& c : columns) cell(narrow, "f32", c);
    if (bless) cell(peer[row.name], "f32", "onnxruntime");
    for (const auto& c : columns) cell(wide, "f64", c);
    table << "\n";
  }
  if (!bless) return;
  std::string text = page();
  const size_t begin = text.find(kBegin), end = text.find(kEnd);
  ASSERT_TRUE(begin != text.npos && end != text.npos) << kPage;
  text.replace(begin + std::string(kBegin).size(), end - begin - std::string(kBegin).size(), table.str());
  std::ofstream(kPage) << text;
  std::cout << table.str();
}

}  // namespace
}  // namespace tc
