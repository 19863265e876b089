#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/strip_builder.h"
#include "tc/kernels/linalg/det.h"

namespace tc::cpu {
namespace {

bool bind_det(Binder& b) {
  if (b.dtype(0) != DType::f32 && b.dtype(0) != DType::f64) return b.refuse("element type is not f32 or f64");
  const int rank = b.rank(0);
  if (rank < 2) return b.refuse("there are no matrices");
  const Dim &rows = b.shape(0)[rank - 2], &columns = b.shape(0)[rank - 1];
  if (!rows.is_const() || rows != columns) return b.refuse("matrices are not square, or of no fixed size");
  const int64_t n = rows.value();
  if (n < 1 || n > kernels::kMostDetRows) return b.refuse(cat("matrices of ", n, " rows"));
  const kernels::LinalgTable& table = b.table().linalg;
  const kernels::Elem type = *elem_of(b.dtype(0));
  const Slot x = b.in(0), y = b.out(0);
  b.flops = [=](const Frame& f) { return static_cast<double>(f.count(x) * n) * 2 / 3; };
  b.step<kernels::DetArgs>(
      table.det.name,
      [=, &table](Frame& f, kernels::DetArgs& a) {
        a = {.type = type, .n = n, .count = f.count(y)};
        f.need_scratch(kernels::det_scratch_bytes(table, a, f.team().threads()));
      },
      [=, &table](Frame& f, kernels::DetArgs& a) {
        a.x = f.raw(x), a.y = f.raw(y), a.scratch = f.scratch();
        kernels::det(table, f.team(), a);
      });
  return true;
}

}  // namespace

void rows_bind_linalg(BindRows& rows) {
  rows.push_back({OpId::Det, "det", bind_det});
}

}  // namespace tc::cpu
