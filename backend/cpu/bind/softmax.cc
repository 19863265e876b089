#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/pattern.h"
#include "tc/backend/cpu/bind/strip_builder.h"
#include "tc/kernels/norm/norm.h"

namespace tc::cpu {
namespace {

template <bool kLog>
bool bind_softmax(Binder& b) {
  if (b.dtype(0) != DType::f32 && b.dtype(0) != DType::f64) return b.refuse(cat("no kernel for ", b.dtype(0)));
  const kernels::Elem type = *elem_of(b.dtype(0));
  const int64_t axis = AlongAxis::attrs_of(b.node()).axis;
  const int rank = b.rank(0);
  // A scalar is its own axis.
  const auto at = static_cast<size_t>(rank == 0 ? 0 : axis < 0 ? axis + rank : axis);
  const kernels::NormTable& table = b.table().norm;
  const Slot x = b.in(0), y = b.out(0);
  b.in_place(0, 0);
  // An exponential, its sum and a division: about ten operations each.
  b.flops = [=](const Frame& f) { return 10 * static_cast<double>(f.count(x)); };
  b.step<kernels::SoftmaxArgs>(
      table.softmax.name,
      [=](Frame& f, kernels::SoftmaxArgs& a) {
        a = {};
        a.type = type;
        a.log = kLog;
        const auto e = f.extents(x);
        for (size_t k = 0; k < e.size(); ++k) (k < at ? a.outer : k == at ? a.n : a.inner) *= e[k];
      },
      [=, &table](Frame& f, kernels::SoftmaxArgs& a) {
        if (a.outer * a.n * a.inner == 0) return;
        a.input = f.raw(x), a.output = f.raw(y);
        kernels::softmax(table, f.team(), a);
      });
  return true;
}

}  // namespace

void rows_bind_softmax(BindRows& rows) {
  rows.push_back({OpId::Softmax, "softmax", bind_softmax<false>});
  rows.push_back({OpId::LogSoftmax, "softmax", bind_softmax<true>});
  rows.push_back({OpId::Hardmax, "arg_reduce", bind_hardmax});
}

}  // namespace tc::cpu
