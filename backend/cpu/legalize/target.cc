#include "tc/backend/cpu/legalize/target.h"

#include <algorithm>

#include "tc/backend/cpu/bind/quant.h"
#include "tc/backend/cpu/bind/rnn.h"
#include "tc/backend/cpu/bind/strip_builder.h"
#include "tc/backend/cpu/legalize/lower.h"
#include "tc/backend/cpu/legalize/promote.h"
#include "tc/ir/library.h"

namespace tc::cpu {
namespace {

// Sums in another order, powers and quotients in other steps.
const Rule kDecompose{"decompose-for-kernels", approximate(0x1p-16), any_node(), nullptr};

std::span<const Rule> decomposition_rules() {
  return {&kDecompose, 1};
}

bool is_f64(const Value* v) {
  return v && v->type().is_tensor() && v->dtype() == DType::f64;
}

void decompose(Node& n, Editor& editor) {
  Built built;
  try {
    built =
        build_detached(n, [&](Builder& b) { return has_lowering(n.op()) ? lowered(b, n) : n.info().decompose(b, n); });
  } catch (const Error&) {
    editor.note_miss(kDecompose.name, "a rank or an extent is not known", n);
    return;
  }
  if (built.values.empty())
    editor.note_miss(kDecompose.name, "this form has no decomposition", n);
  else
    commit_built(editor, kDecompose, std::move(built), n);
}

// A kernel is within a unit of what the body gives in f64; near zeros of the function that is not the last place.
const Rule kLibrary{"library-call-to-kernel", approximate(0x1p-20), any_node(), nullptr};

std::span<const Rule> library_rules() {
  return {&kLibrary, 1};
}

bool calls_kernel(const Node& n) {
  if (!n.is<Call>() || n.num_operands() != 1 || n.num_results() != 1) return false;
  const std::string_view function = library_function(n.attrs<Call>().callee);
  if (function.empty() || !has_library_kernel(function)) return false;
  const Type &x = n.operand(0)->type(), &y = n.result(0)->type();
  return x.is_tensor() && y.is_tensor() && x.shape().ranked() && dtypes::floats.has(x.dtype()) &&
         x.dtype() == y.dtype();
}

// Calls of functions of the library that have kernels become clusters of their names, whose regions are the bodies.
void bind_library_calls(PassContext& ctx) {
  for (Node* n : find_nodes(ctx.module, calls_kernel)) {
    if (!ctx.editor.allows(kLibrary.name, kLibrary.exactness)) return;
    const Graph* body = ctx.module.find_function(n->attrs<Call>().callee);
    TC_CHECK(body, "no function ", n->attrs<Call>().callee);
    Built built = build_detached(*n, [&](Builder& b) -> std::vector<Value*> {
      std::vector<std::unique_ptr<Graph>> region;
      region.push_back(clone(*body, ctx.module));
      return {b.node(OpId::Cluster, n->operands(), nullptr, 1, std::move(region))->result(0)};
    });
    commit_built(ctx.editor, kLibrary, std::move(built), *n);
  }
}

// Nodes without kernels whose decompositions have some: what the reference body would compute element by element runs
// on kernels then.
void decompose_for_kernels(PassContext& ctx) {
  for (Node* n : find_nodes(ctx.module, decomposes))
    if (ctx.editor.allows(kDecompose.name, kDecompose.exactness)) decompose(*n, ctx.editor);
}

}  // namespace

// Kernels of attention and recurrent networks are of f32 alone, the latter's without bounds or functions of their own.
bool decomposes(const Node& n) {
  // In training planes of f32 have a kernel; by given statistics all have.
  if (n.is<BatchNormalization>()) {
    const Value* x = n.operand(0);
    return n.attrs<BatchNormalization>().training_mode &&
           (x->dtype() != DType::f32 || !x->shape().ranked() || x->shape().rank() < 3);
  }
  if (has_lowering(n.op())) return true;
  if (!n.info().decompose || n.num_regions() || n.info().traits.nondeterministic || n.info().family == Family::fused)
    return false;
  if (!has_kernels(n.op())) return true;
  if (n.info().family == Family::rnn && rnn_refusal(n)) return true;
  // Constants with constant scales are folded, or stay as they are for the products that they go to.
  if (n.is<QuantizeLinear>() || n.is<DequantizeLinear>())
    return linear_refusal(n) && !(n.operand(0)->constant() && n.operand(1)->constant());
  // A softmax or values of another precision round where the reference body does not.
  if (n.is<Attention>() &&
      (n.attrs<Attention>().softmax_precision.value_or(DType::f64) != DType::f64 || !is_f64(n.operand(2))))
    return false;
  return is_f64(n.operand(0)) && (n.info().family == Family::attention || n.info().family == Family::rnn);
}

bool commit_built(Editor& editor, const Rule& rule, Built built, Node& n) {
  Edit edit{rule.name, rule.exactness, std::move(built.nodes), &n, {}, {&n}};
  // The very values that the ops say, however their types are spelled.
  edit.same_types = true;
  edit.taken_over = &n;
  for (size_t j = 0; j < built.values.size(); ++j)
    if (Value* was = n.result(static_cast<int>(j)); !was->unused()) edit.replaced.emplace_back(was, built.values[j]);
  if (edit.replaced.empty()) return false;
  if (const char* why = editor.commit(std::move(edit))) {
    editor.note_miss(rule.name, why, n);
    return false;
  }
  return true;
}

const Target& target() {
  static const Pass kPasses[] = {
      {"library", Phase::legalize, 0, bind_library_calls, library_rules(), nullptr,
       "calls of functions of the library that have kernels become clusters, which do"},
      {"promote", Phase::legalize, 0, promote_types, promotion_rules(), nullptr,
       "conversions around nodes on element types that have no kernels"},
      {"decompose", Phase::legalize, 0, decompose_for_kernels, decomposition_rules(), nullptr,
       "ops without kernels become ops that have some"},
  };
  static constexpr std::string_view kNeeds[] = {"inline-functions"};  // plans have no calls
  static const Target kTarget{"cpu", kPasses, kNeeds};
  return kTarget;
}

}  // namespace tc::cpu
