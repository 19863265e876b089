// Ops of the family `elementwise`: a result element depends on the operands' elements at the same (broadcast) place
// only. Those that are alike are rows of elementwise.def.
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

// Result 0 has the broadcast of all operands' shapes; contents of small integer tensors are followed through
// arithmetic, comparison and logic.
struct ElementwiseOp {
  static constexpr bool elementwise = true;
  static void infer(InferContext& ctx);
};

#define TC_UNARY_FLOAT(Name, spelling, since, types, doc, f, dx)                                   \
  struct Name : ElementwiseOp {                                                                    \
    static constexpr OpFacts facts{spelling, {#Name, since}, "x:T -> y:T", {{{'T', types}}}, doc}; \
    static constexpr bool piecewise_constant = std::string_view(#dx) == "kZero";                   \
    static void grad(GradContext& ctx);                                                            \
  };
#define TC_UNARY_REAL(Name, spelling, since, types, doc, f, dx) TC_UNARY_FLOAT(Name, spelling, since, types, doc, f, dx)
#define TC_UNARY_1(Name, spelling, since, types, doc, f, dx, p, p0)                                \
  struct Name : ElementwiseOp {                                                                    \
    struct Attrs {                                                                                 \
      double p = p0;                                                                               \
      static constexpr auto fields = Fields{field(#p, &Attrs::p)};                                 \
    };                                                                                             \
    static constexpr OpFacts facts{spelling, {#Name, since}, "x:T -> y:T", {{{'T', types}}}, doc}; \
    static void grad(GradContext& ctx);                                                            \
  };
#define TC_UNARY_2(Name, spelling, since, types, doc, f, dx, p, p0, q, q0)                         \
  struct Name : ElementwiseOp {                                                                    \
    struct Attrs {                                                                                 \
      double p = p0, q = q0;                                                                       \
      static constexpr auto fields = Fields{field(#p, &Attrs::p), field(#q, &Attrs::q)};           \
    };                                                                                             \
    static constexpr OpFacts facts{spelling, {#Name, since}, "x:T -> y:T", {{{'T', types}}}, doc}; \
    static void grad(GradContext& ctx);                                                            \
  };
#define TC_BINARY(Name, spelling, since, types, commuting, doc, f, da, db)                              \
  struct Name : ElementwiseOp {                                                                         \
    static constexpr OpFacts facts{spelling, {#Name, since}, "a:T, b:T -> y:T", {{{'T', types}}}, doc}; \
    static constexpr bool commutes = commuting;                                                         \
    static void grad(GradContext& ctx);                                                                 \
  };
#define TC_COMPARE(Name, spelling, since, types, commuting, doc, f)                                        \
  struct Name : ElementwiseOp {                                                                            \
    static constexpr OpFacts facts{spelling, {#Name, since}, "a:T, b:T -> y:bool", {{{'T', types}}}, doc}; \
    static constexpr bool commutes = commuting;                                                            \
  };
#define TC_BITWISE(Name, spelling, since, types, doc, f)                                                \
  struct Name : ElementwiseOp {                                                                         \
    static constexpr OpFacts facts{spelling, {#Name, since}, "a:T, b:T -> y:T", {{{'T', types}}}, doc}; \
    static constexpr bool commutes = true;                                                              \
  };
#define TC_VARIADIC(Name, spelling, since, types, doc, f)                                                   \
  struct Name : ElementwiseOp {                                                                             \
    static constexpr OpFacts facts{spelling, {#Name, since}, "x:T, more:T* -> y:T", {{{'T', types}}}, doc}; \
    static constexpr bool commutes = true;                                                                  \
    static void grad(GradContext& ctx);                                                                     \
  };
#include "tc/ir/ops/elementwise.def"

struct Mod : ElementwiseOp {
  struct Attrs {
    bool fmod = false;
    static constexpr auto fields = Fields{field("fmod", &Attrs::fmod)};
  };
  static constexpr OpFacts facts{"mod",
                                 {"Mod", 10},
                                 "a:T, b:T -> y:T",
                                 {{{'T', dtypes::numeric}}},
                                 "remainder with the divisor's sign, or with fmod the dividend's"};
  static void grad(GradContext& ctx);
};

struct Pow : ElementwiseOp {
  static constexpr OpFacts facts{"pow",
                                 {"Pow", 7},
                                 "x:T, y:U -> z:T",
                                 {{{'T', dtypes::floats | DType::i32 | DType::i64}, {'U', dtypes::numeric}}},
                                 "x^y, in x's type"};
  static void grad(GradContext& ctx);
};

enum class ShiftDirection : uint8_t { left, right };
inline constexpr std::string_view kShiftDirections[] = {"LEFT", "RIGHT"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<ShiftDirection>{kShiftDirections};

struct BitShift : ElementwiseOp {
  struct Attrs {
    ShiftDirection direction = ShiftDirection::left;
    static constexpr auto fields = Fields{field("direction", &Attrs::direction, required)};
  };
  static constexpr OpFacts facts{"bit_shift",
                                 {"BitShift", 11},
                                 "x:T, y:T -> z:T",
                                 {{{'T', dtypes::unsigned_ints}}},
                                 "x shifted by y bits, filled with zeros"};
};

struct IsNaN : ElementwiseOp {
  static constexpr OpFacts facts{
      "is_nan", {"IsNaN", 9}, "x:T -> y:bool", {{{'T', dtypes::floats | dtypes::f8}}}, "whether x is a NaN"};
};

struct IsInf : ElementwiseOp {
  struct Attrs {
    bool detect_negative = true, detect_positive = true;
    static constexpr auto fields =
        Fields{field("detect_negative", &Attrs::detect_negative), field("detect_positive", &Attrs::detect_positive)};
  };
  static constexpr OpFacts facts{"is_inf",
                                 {"IsInf", 10},
                                 "x:T -> y:bool",
                                 {{{'T', dtypes::floats | dtypes::f8}}},
                                 "whether x is an infinity (of a wanted sign)"};
};

struct Where : ElementwiseOp {
  static constexpr OpFacts facts{"where",
                                 {"Where", 9},
                                 "condition:bool, x:T, y:T -> z:T",
                                 {{{'T', dtypes::numeric | dtypes::boolean | dtypes::strings | dtypes::complex}}},
                                 "condition ? x : y"};
  static void grad(GradContext& ctx);
};

struct Clip {
  static constexpr bool elementwise = true;
  static constexpr OpFacts facts{"clip",
                                 {"Clip", 11},
                                 "x:T, min:T?, max:T? -> y:T",
                                 {{{'T', dtypes::numeric}}},
                                 "min(max(x, min), max); the bounds are scalars"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

enum class ScaleRounding : uint8_t { up, down, nearest };
inline constexpr std::string_view kScaleRoundings[] = {"up", "down", "nearest"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<ScaleRounding>{kScaleRoundings};

// Floats to integers truncate; integers wrap; with `saturate`, 8-bit floats clamp instead of overflowing.
struct Cast {
  struct Attrs {
    DType to = DType::f32;
    bool saturate = true;
    ScaleRounding round_mode = ScaleRounding::up;  // to f8e8m0 only
    static constexpr auto fields = Fields{field("to", &Attrs::to, required), field("saturate", &Attrs::saturate),
                                          field("round_mode", &Attrs::round_mode)};
  };
  static constexpr bool elementwise = true;
  static constexpr OpFacts facts{"cast",
                                 {"Cast", 6},
                                 "x:V -> y:U",
                                 {{{'V', dtypes::all - dtypes::complex}, {'U', dtypes::all - dtypes::complex}}},
                                 "x converted to another element type"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct BitCast {
  struct Attrs {
    DType to = DType::f32;
    static constexpr auto fields = Fields{field("to", &Attrs::to, required)};
  };
  static constexpr bool elementwise = true;
  static constexpr OpFacts facts{"bit_cast",
                                 {"BitCast", 26},
                                 "x:V -> y:U",
                                 {{{'V', dtypes::all - dtypes::strings}, {'U', dtypes::all - dtypes::strings}}},
                                 "the bits of x as another element type of the same width"};
  static void infer(InferContext& ctx);
};

enum class GeluApproximation : uint8_t { none, tanh };
inline constexpr std::string_view kGeluApproximations[] = {"none", "tanh"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<GeluApproximation>{kGeluApproximations};

struct Gelu : ElementwiseOp {
  struct Attrs {
    GeluApproximation approximate = GeluApproximation::none;
    static constexpr auto fields = Fields{field("approximate", &Attrs::approximate)};
  };
  static constexpr OpFacts facts{"gelu",
                                 {"Gelu", 20},
                                 "x:T -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "x times the normal distribution function of x, or its tanh approximation"};
  static void grad(GradContext& ctx);
};

struct SwiGLU : ElementwiseOp {
  struct Attrs {
    double alpha = 1;
    static constexpr auto fields = Fields{field("alpha", &Attrs::alpha)};
  };
  static constexpr OpFacts facts{
      "swiglu", {"SwiGLU", 28}, "a:T, b:T -> y:T", {{{'T', dtypes::floats}}}, "a * sigmoid(alpha * a) * b"};
  static void grad(GradContext& ctx);
};

// Outside training the output is x and the mask true. In training each element is dropped with probability `ratio`
// (default 1/2) and the kept ones are scaled by 1 / (1 - ratio). The same seed drops the same elements.
struct Dropout {
  struct Attrs {
    std::optional<int64_t> seed;
    static constexpr auto fields = Fields{field("seed", &Attrs::seed)};
  };
  static constexpr bool nondeterministic = true;
  static constexpr OpFacts facts{"dropout",
                                 {"Dropout", 12},
                                 "x:T, ratio:U?, training_mode:bool? -> y:T, mask:bool?",
                                 {{{'T', dtypes::floats | dtypes::f8}, {'U', dtypes::floats | dtypes::f8}}},
                                 "random elements set to zero in training"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

}  // namespace tc
