// f64 functions that ONNX Runtime has for f32 alone are exported exactly: what it makes of the file, natively and in
// WebAssembly, is within a few units in the last place of what the C library computes in 80 bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tc/backend/onnx/export.h"
#include "tc/ir/builder.h"
#include "tc/ir/module.h"
#include "tests/peers/peer.h"

namespace tc {
namespace {

using Real = long double;

struct Function64 {
  const char* name;
  Value* (*make)(Builder& b, Value* x);
  Real (*truth)(Real);
  double low, high;  // where it is asked; below and above it need not be defined
  double ulp = 8;
};

template <class Op>
Value* make(Builder& b, Value* x) {
  return b.make<Op>({x});
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const Function64 kFunctions[] = {
    // Near the zeros of ONNX Runtime's sine and cosine their errors are small absolutely, not relatively.
    {"tan", make<Tan>, [](Real x) { return std::tan(x); }, -1.4, 1.4},
    {"asin", make<Asin>, [](Real x) { return std::asin(x); }, -kInfinity, kInfinity},
    {"acos", make<Acos>, [](Real x) { return std::acos(x); }, -kInfinity, kInfinity},
    {"atan", make<Atan>, [](Real x) { return std::atan(x); }, -kInfinity, kInfinity},
    {"sinh", make<Sinh>, [](Real x) { return std::sinh(x); }, -kInfinity, kInfinity},
    {"cosh", make<Cosh>, [](Real x) { return std::cosh(x); }, -kInfinity, kInfinity},
    {"asinh", make<Asinh>, [](Real x) { return std::asinh(x); }, -kInfinity, kInfinity},
    {"acosh", make<Acosh>, [](Real x) { return std::acosh(x); }, -kInfinity, kInfinity},
    {"atanh", make<Atanh>, [](Real x) { return std::atanh(x); }, -kInfinity, kInfinity},
    {"erf", make<Erf>, [](Real x) { return std::erf(x); }, -kInfinity, kInfinity},
    {"softplus", make<Softplus>, [](Real x) { return std::fmax(x, Real{0}) + std::log1p(std::exp(-std::fabs(x))); },
     -700, kInfinity},
    {"sigmoid", make<Sigmoid>, [](Real x) { return 1 / (1 + std::exp(-x)); }, -700, kInfinity},
    {"elu", [](Builder& b, Value* x) { return b.make<Elu>({x}, {.alpha = 1}); },
     [](Real x) { return x < 0 ? std::expm1(x) : x; }, -kInfinity, kInfinity},
    {"scaled_elu", [](Builder& b, Value* x) { return b.make<Elu>({x}, {.alpha = 0.3}); },
     [](Real x) { return x < 0 ? Real{0.3} * std::expm1(x) : x; }, -kInfinity, kInfinity},
};

std::vector<double> grid() {
  std::vector<double> x = {0, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(), 1, -1};
  const auto both = [&](double v) { x.push_back(v), x.push_back(-v); };
  for (int e = -300; e <= 300; e += 7) both(1.37 * std::pow(10.0, e));
  for (int i = 1; i < 1600; ++i) both(i * 0.00515);
  for (const double seam : {std::sqrt(2.0) - 1, std::sqrt(2.0) + 1, 0.5, 1.0, 6.0, 700.0, 709.7, 710.3, 268435456.0})
    for (int step = -3; step <= 3; ++step) both(seam * (1 + step * 0x1p-50));
  return x;
}

double ulps(double got, Real want) {
  const double nearest = static_cast<double>(want);
  if (std::isnan(got) || std::isnan(nearest)) return std::isnan(got) && std::isnan(nearest) ? 0 : kInfinity;
  if (got == nearest) return 0;
  if (std::isinf(got) || std::isinf(nearest)) return kInfinity;
  const double unit = std::nextafter(std::fabs(nearest), kInfinity) - std::fabs(nearest);
  return static_cast<double>(std::fabs(static_cast<Real>(got) - want)) / unit;
}

class ExactF64 : public testing::TestWithParam<peers::Runtime> {};

TEST_P(ExactF64, FunctionsOfOnnxRuntime) {
  if (peers::node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  Module m;
  Builder b(m.main());
  const std::vector<double> x = grid();
  const auto n = static_cast<int64_t>(x.size());
  Value* in = m.main().add_input(Type::tensor(DType::f64, Shape({Dim::symbol("N")})), "x");
  std::vector<Value*> outputs;
  for (const Function64& f : kFunctions) {
    outputs.push_back(f.make(b, in));
    outputs.back()->set_name(f.name);
  }
  m.main().set_outputs(outputs);
  ExportReport report;
  const std::string bytes = onnx::export_bytes(m, {.target = ExportTarget::ort}, &report);
  EXPECT_EQ(report.str().find("loses precision"), std::string::npos) << report.str();
  const auto outcome =
      peers::onnx_runtime({{.model = {}, .inputs = {{"x", Tensor::of<double>({n}, x)}}, .bytes = bytes}}, GetParam());
  ASSERT_EQ(outcome.size(), 1U);
  ASSERT_EQ(outcome[0].error, "");
  for (const Function64& f : kFunctions) {
    const auto got = peers::find(outcome[0].outputs, f.name).span<double>();
    double worst = 0, at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i] < f.low || x[i] > f.high) continue;
      if (const double error = ulps(got[i], f.truth(x[i])); error > worst) worst = error, at = x[i];
    }
    RecordProperty(f.name, std::to_string(worst));
    EXPECT_LE(worst, f.ulp) << f.name << " of " << at;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExactF64, testing::Values(peers::Runtime::node, peers::Runtime::web),
                         [](const auto& p) { return p.param == peers::Runtime::node ? "node" : "web"; });

}  // namespace
}  // namespace tc
