#include <algorithm>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/gemm_step.h"
#include "tc/kernels/product/product.h"

namespace tc::cpu {
namespace {

// activation(alpha * A' B' + beta * C), A' and B' the operands or their last two axes exchanged.
struct ProductTerms {
  bool trans_a = false, trans_b = false;
  double alpha = 1, beta = 1;
  int c = -1, residual = -1;  // operands that are added
};

struct ProductState {
  kernels::ProductArgs args;
  kernels::ProductPlan plan;
  std::vector<Offsets> outer;
  kernels::StripInput input;
  kernels::StripOutput output;
  kernels::StripArgs activation;
};

// A matrix operand seen as [batch..., rows, cols]; vectors become one row (a) or one column (b).
struct Matrix {
  std::vector<int64_t> batch;
  int64_t rows = 1, cols = 1, row_stride = 0, col_stride = 1;
};

Matrix matrix_of(std::span<const int64_t> e, bool transposed, bool is_b) {
  Matrix m;
  if (e.size() == 1) {
    (is_b ? m.rows : m.cols) = e[0];
    m.row_stride = is_b ? 1 : e[0];
    m.col_stride = is_b ? 0 : 1;
    return m;
  }
  m.batch.assign(e.begin(), e.end() - 2);
  m.rows = e[e.size() - 2], m.cols = e[e.size() - 1];
  m.row_stride = m.cols;
  if (transposed) std::swap(m.rows, m.cols), std::swap(m.row_stride, m.col_stride);
  return m;
}

// Element strides of a batch that broadcasts into `full`, counted in matrices of `size` elements.
std::vector<int64_t> batch_strides(const std::vector<int64_t>& batch, const std::vector<int64_t>& full, int64_t size) {
  std::vector<int64_t> strides(full.size());
  int64_t stride = size;
  for (size_t k = batch.size(); k-- > 0;) {
    const size_t at = full.size() - batch.size() + k;
    strides[at] = batch[k] == 1 ? 0 : stride;
    stride *= batch[k];
  }
  return strides;
}

// The shape for the operands' extents, and outer offsets.
kernels::GemmShape shape_of(const Node& node, std::vector<Offsets>& outer, const ProductTerms& p,
                            std::span<const int64_t> ae, std::span<const int64_t> be, std::span<const int64_t> ye,
                            bool adds, std::span<const int64_t> ce) {
  Matrix a = matrix_of(ae, p.trans_a, false);
  Matrix b = matrix_of(be, p.trans_b, true);
  auto bad = [&](const std::string& text) {
    throw Error({ErrorCode::bad_shape,
                 text,
                 node.location().empty() ? std::string(node.info().name()) : node.location(),
                 {},
                 {}});
  };
  if (a.cols != b.rows) bad(cat("inner extents ", a.cols, " and ", b.rows, " differ"));
  std::vector<int64_t> full(std::max(a.batch.size(), b.batch.size()), 1);
  for (const Matrix* side : std::initializer_list<const Matrix*>{&a, &b})
    for (size_t k = 0; k < side->batch.size(); ++k) {
      const auto& batch = side->batch;
      int64_t& e = full[full.size() - batch.size() + k];
      if (e != 1 && batch[k] != 1 && e != batch[k])
        bad(cat("batch extents ", e, " and ", batch[k], " do not broadcast"));
      if (batch[k] != 1) e = batch[k];
    }
  // One B for all of A's batches, and A dense: one tall product.
  if (b.batch.empty() || std::all_of(b.batch.begin(), b.batch.end(), [](int64_t e) { return e == 1; }))
    if (!p.trans_a && (!adds || ce.size() < 2 || std::ranges::equal(ce, ye))) {
      for (int64_t e : a.batch) a.rows *= e;
      a.batch.clear(), b.batch.clear(), full.clear();
    }
  kernels::GemmShape g;
  g.m = a.rows, g.n = b.cols, g.k = a.cols;
  g.a_rs = a.row_stride, g.a_cs = a.col_stride;
  g.b_rs = b.row_stride, g.b_cs = b.col_stride;
  g.c_rs = g.n;
  auto as = batch_strides(a.batch, full, a.rows * a.cols);
  auto bs = batch_strides(b.batch, full, b.rows * b.cols);
  std::vector<int64_t> cs = batch_strides(full, full, g.m * g.n), rs(full.size(), 0);
  // The addend broadcasts into the result.
  if (adds) {
    const size_t rank = ye.size();
    std::vector<int64_t> strides(rank, 0);
    int64_t stride = 1;
    for (size_t k = ce.size(); k-- > 0;) {
      const size_t at = rank - ce.size() + k;
      if (ce[k] != 1 && ce[k] != ye[at]) bad(cat("extent ", ce[k], " of the addend does not broadcast to ", ye[at]));
      strides[at] = ce[k] == 1 ? 0 : stride;
      stride *= ce[k];
    }
    if (std::ranges::equal(ce, ye)) {  // dense, also where a stride of an extent of 1 says nothing
      g.residual_cs = 1, g.residual_rs = g.n;
      for (size_t k = 0; k < full.size(); ++k) rs[k] = cs[k];
    } else if (full.empty()) {  // rows of all batches are one run; only addends that repeat per row get here
      g.residual_cs = rank ? strides[rank - 1] : 0;
      g.residual_rs = rank >= 2 ? strides[rank - 2] : 0;
    } else {
      g.residual_cs = strides[rank - 1], g.residual_rs = strides[rank - 2];
      for (size_t k = 0; k < full.size(); ++k) rs[k] = strides[k];
    }
  }
  const size_t inner = std::min<size_t>(2, full.size());
  for (size_t k = 0; k < inner; ++k) {
    const size_t from = full.size() - inner + k, to = 2 - inner + k;
    g.batch[to] = full[from];
    g.a_batch[to] = as[from], g.b_batch[to] = bs[from], g.c_batch[to] = cs[from], g.residual_batch[to] = rs[from];
  }
  outer.assign(1, {0, 0, 0, 0});
  for (size_t k = 0; k + inner < full.size(); ++k) {
    std::vector<Offsets> next;
    for (const auto& o : outer)
      for (int64_t i = 0; i < full[k]; ++i)
        next.push_back({o.a + i * as[k], o.b + i * bs[k], o.c + i * cs[k], o.residual + i * rs[k]});
    outer = std::move(next);
  }
  return g;
}

// How a product adds: the bias is operand `bias`, the residual operand `addend`, where there are such (else -1).
struct Addends {
  int bias = -1, addend = -1;
};

std::optional<Addends> addends_of(Binder& b, const ProductTerms& p) {
  if (b.rank(0) < 1 || b.rank(1) < 1) return b.refuse("an operand has rank 0"), std::nullopt;
  // A vector added to each row is the kernel's bias; whatever else broadcasts is its residual, dense or strided.
  const bool row_vector = p.c >= 0 && b.rank(p.c) >= 1 && b.result_shape(0).rank() >= 1 &&
                          b.shape(p.c)[b.rank(p.c) - 1] == b.result_shape(0)[b.result_shape(0).rank() - 1] &&
                          b.shape(p.c).count() == b.shape(p.c)[b.rank(p.c) - 1];
  const bool as_bias = row_vector && p.beta == 1;
  if (p.c >= 0 && p.residual >= 0 && !as_bias) return b.refuse("two addends that are not vectors"), std::nullopt;
  const int addend = p.residual >= 0 ? p.residual : as_bias ? -1 : p.c;
  if (addend >= 0 && (b.rank(0) < 2 || b.rank(1) < 2)) return b.refuse("a vector operand and an addend"), std::nullopt;
  return Addends{as_bias ? p.c : -1, addend};
}

// Multiply-adds of a product are two operations each.
std::function<double(const Frame&)> product_flops(Slot x, Slot y, bool trans_a) {
  return [=](const Frame& f) {
    const auto e = f.extents(x);
    const int64_t k = trans_a ? e[e.size() - 2] : e[e.size() - 1];
    return 2.0 * static_cast<double>(f.count(y)) * static_cast<double>(k);
  };
}

// Small products of f32 of a batch, of which what a product costs beside its multiplications is most: 20000 of 2x2x2 on
// Zen 5 0.59 to 0.15 ms.
bool is_small_batch(const Binder& b, const ProductTerms& p) {
  constexpr int64_t kMostExtent = 16;
  if (b.dtype(0) != DType::f32 || p.trans_b || b.rank(0) < 3 || b.rank(1) < 3 || b.constant(1)) return false;
  for (int i = 0; i < 2; ++i)
    for (int k = b.rank(i) - 2; k < b.rank(i); ++k) {
      const Dim& e = b.shape(i)[k];
      if (!e.is_const() || e.value() == 0 || e.value() > kMostExtent) return false;
    }
  // Batches of A by one B are one product.
  for (int k = 0; k + 2 < b.rank(1); ++k)
    if (!b.shape(1)[k].is(1)) return true;
  return false;
}

// f64, and integers, whose kernels know the low bits of sums and products; and small ones of f32.
bool bind_other_product(Binder& b, const ProductTerms& p, const Epilogue& e) {
  using kernels::Elem;
  Elem type;
  switch (b.dtype(0)) {
    case DType::f64:
      type = Elem::f64;
      break;
    case DType::f32:
      type = Elem::f32;
      break;
    case DType::i32:
    case DType::u32:
      type = Elem::i32;
      break;
    case DType::i64:
    case DType::u64:
      type = Elem::i64;
      break;
    default:
      return b.refuse(cat("no kernel for ", b.dtype(0)));
  }
  if ((type == Elem::i32 || type == Elem::i64) && (p.alpha != 1 || (p.c >= 0 && p.beta != 1)))
    return b.refuse("integers are scaled as reals");
  const auto adds = addends_of(b, p);
  if (!adds) return false;
  const kernels::ProductTable& table = b.table().product;
  const Slot x = b.in(0), w = b.in(1), bias = adds->bias < 0 ? kNoSlot : b.in(adds->bias),
             residual = adds->addend < 0 ? kNoSlot : b.in(adds->addend), y = b.out(0);
  if (adds->addend >= 0 && b.shape(adds->addend) == b.result_shape(0)) b.in_place(0, adds->addend);
  std::shared_ptr<const CompiledStrip> activation;
  if (e.activation != Activation::none) {
    StripBuilder strip(type);
    activation = strip.finish({activation_op(strip, e, strip.input())});
  }
  const Node* node = &b.node();
  const kernels::StripTable& strips = b.table().strip;
  b.flops = product_flops(x, y, p.trans_a);
  b.step<ProductState>(
      cat(table.run.name, "_", kernels::elem_name(type)),
      [=, &table](Frame& f, ProductState& s) {
        s.args = {};
        s.args.type = type;
        s.args.shape = shape_of(*node, s.outer, p, f.extents(x), f.extents(w), f.extents(y), residual != kNoSlot,
                                residual == kNoSlot ? std::span<const int64_t>() : f.extents(residual));
        s.args.alpha = p.alpha, s.args.beta = p.beta;
        s.plan = kernels::product_plan(table, s.args);
        f.need_scratch(kernels::product_scratch_bytes(s.plan, f.team().threads()));
        if (!activation) return;
        s.input = {nullptr, type, {1}}, s.output = {nullptr, type, {1}};
        s.activation = {&activation->program, 1, {f.count(y)}, &s.input, &s.output};
      },
      [=, &table, &strips](Frame& f, ProductState& s) {
        kernels::ProductArgs& g = s.args;
        const auto bytes = static_cast<int64_t>(kernels::elem_bytes(type));
        g.scratch = f.scratch();
        g.bias = bias == kNoSlot ? nullptr : f.raw(bias);
        for (const Offsets& o : s.outer) {
          g.a = f.ptr<const std::byte>(x) + o.a * bytes;
          g.b = f.ptr<const std::byte>(w) + o.b * bytes;
          g.c = f.ptr<std::byte>(y) + o.c * bytes;
          g.residual = residual == kNoSlot ? nullptr : f.ptr<const std::byte>(residual) + o.residual * bytes;
          kernels::product(f.team(), table, g, s.plan);
        }
        if (!activation) return;
        s.input.data = s.output.data = f.raw(y);
        check(f, *node, kernels::run_strips(strips, f.team(), s.activation));
      });
  return true;
}

// Whether the product reads rows of A whole, a register of them at a time, and columns of B that lie as they are: it
// does so for up to four. 10000 rows by 1 column of 32 steps 0.066 to 0.018 ms, by 3 of 16 0.038 to 0.025.
bool is_tall(const Binder& b, const ProductTerms& p, const Matrix& factor) {
  constexpr int64_t kLeastRows = 64, kLeastSteps = 16, kMostSteps = 1024;
  if (p.trans_a || factor.cols > 4 || factor.rows < kLeastSteps || factor.rows > kMostSteps) return false;
  int64_t rows = 1;
  for (int i = 0; i + 1 < b.rank(0); ++i) rows *= b.shape(0)[i].is_const() ? b.shape(0)[i].value() : 1;
  return rows >= kLeastRows;
}

// Rows of A in all its batches, kAnyRows where they are known at run time only.
int64_t rows_of(const Binder& b, int64_t steps) {
  int64_t count = 1;
  for (int i = 0; i < b.rank(0); ++i) {
    if (!b.shape(0)[i].is_const()) return kAnyRows;
    count *= b.shape(0)[i].value();
  }
  return count / std::max<int64_t>(1, steps);
}

bool bind_product(Binder& b, const ProductTerms& p, const Epilogue& e = {}) {
  if (b.dtype(0) != DType::f32 || is_small_batch(b, p)) return bind_other_product(b, p, e);
  const auto adds = addends_of(b, p);
  if (!adds) return false;
  const ActivationEpilogue activation(e, b.table().strip);

  GemmOperands o;
  o.alpha = p.alpha, o.beta = p.beta;
  o.a = b.in(0);
  const Tensor* t = b.constant(1);
  const bool packs = t && b.rank(1) == 2 && t->size() > 0;
  if (const Matrix m = packs ? matrix_of(t->extents(), p.trans_b, true) : Matrix(); packs && !is_tall(b, p, m)) {
    o.weights = std::make_shared<GemmWeights>(b, 1, p.trans_b, rows_of(b, m.rows), m.rows, m.cols);
  } else {
    o.b = b.in(1);
  }
  const bool in_memory = o.b != kNoSlot;
  const Extents packed_extents = in_memory ? Extents() : b.constant(1)->extents();
  if (adds->bias >= 0) o.bias = b.in(adds->bias);
  if (adds->addend >= 0) o.residual = b.in(adds->addend);
  o.c = b.out(0);
  if (adds->addend >= 0 && b.shape(adds->addend) == b.result_shape(0)) b.in_place(0, adds->addend);
  const Node* node = &b.node();
  b.flops = product_flops(o.a, o.c, p.trans_a);
  gemm_step(b, o, activation, [=](const Frame& f, std::vector<Offsets>& outer) {
    const bool adds_more = o.residual != kNoSlot;
    return shape_of(*node, outer, p, f.extents(o.a),
                    in_memory ? f.extents(o.b) : std::span<const int64_t>(packed_extents), f.extents(o.c), adds_more,
                    adds_more ? f.extents(o.residual) : std::span<const int64_t>());
  });
  return true;
}

bool bind_matmul(Binder& b) {
  return bind_product(b, {});
}

bool bind_gemm(Binder& b) {
  const auto& a = b.attrs<Gemm>();
  ProductTerms p{a.trans_a, a.trans_b, a.alpha, a.beta};
  if (b.has(2)) p.c = 2;
  return bind_product(b, p);
}

bool bind_fused_matmul(Binder& b) {
  const auto& a = b.attrs<FusedMatMul>();
  ProductTerms p{a.trans_a, a.trans_b, a.scale, 1};
  if (b.has(2)) p.c = 2;
  if (b.has(3)) p.residual = 3;
  return bind_product(b, p, a.epilogue());
}

}  // namespace

void rows_bind_matmul(BindRows& rows) {
  rows.push_back({OpId::MatMul, "gemm", bind_matmul});
  rows.push_back({OpId::Gemm, "gemm", bind_gemm});
  rows.push_back({OpId::FusedMatMul, "gemm", bind_fused_matmul});
}

}  // namespace tc::cpu
