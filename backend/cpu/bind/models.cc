#include "tc/backend/cpu/bind/models.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/strip_builder.h"
#include "tc/ir/eval/scores.h"
#include "tc/ir/eval/svm.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/scratch.h"

namespace tc::cpu {
namespace {

struct PackedVectors {
  int64_t count = 0, features = 0, padded = 0;
  std::vector<double> packed, start, single;

  // [count, features], and what is added to the sums: one number for each, for all, or none.
  PackedVectors(const double* v, int64_t count_, int64_t features_, const std::vector<double>& offset)
      : count(count_), features(features_), padded(kernels::model_padded(count_)) {
    if (count == 1) single.assign(v, v + features);
    packed.assign(static_cast<size_t>(padded * features), 0);
    start.assign(static_cast<size_t>(padded), 0);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t lane = i % kernels::kModelLanes;
      for (int64_t k = 0; k < features; ++k)
        packed[static_cast<size_t>((i - lane) * features + k * kernels::kModelLanes + lane)] = v[i * features + k];
      if (!offset.empty()) start[static_cast<size_t>(i)] = offset[offset.size() == 1 ? 0 : static_cast<size_t>(i)];
    }
  }
};

// Of a tile, whose numbers stay in the nearest cache.
int64_t tile_rows(const PackedVectors& v) {
  return std::clamp<int64_t>(4096 / (v.padded + v.features) / 8 * 8, 8, 64);
}

struct Work {
  double *x, *products, *scores;
  size_t bytes;  // to the next worker's
  Work(const PackedVectors& v, int64_t scores_per_row, std::byte* base) {
    kernels::ScratchPieces pieces(base);
    x = pieces.take<double>(tile_rows(v) * v.features);
    products = pieces.take<double>(tile_rows(v) * v.padded);
    scores = pieces.take<double>(tile_rows(v) * scores_per_row);
    bytes = pieces.used_apart();
  }
};

bool takes_rows(Binder& b) {
  return dtypes::features.has(b.dtype(0)) ? b.rank(0) == 1 || b.rank(0) == 2 || b.refuse("features are not rows")
                                          : b.refuse(cat("features are ", b.dtype(0)));
}

struct RowsState {
  int64_t rows = 0;
};

// The step of a model: make(frame) gives what turns the products of a tile's rows into results,
// f(first, count, products, scores).
template <class Make>
void add_step(Binder& b, Slot x, std::shared_ptr<const PackedVectors> v, bool distances, int64_t scores, double ns,
              Make make) {
  const kernels::ModelTable& table = b.table().models;
  const Node* node = &b.node();
  const kernels::Elem type = elem_of(b.dtype(0)).value();
  const int size = elem_size(b.dtype(0));
  b.step<RowsState>(
      table.products.name,
      [=](Frame& f, RowsState& s) {
        const auto e = f.extents(x);
        s.rows = e.size() == 1 ? 1 : e[0];
        if (e.back() != v->features)
          f.fail(*node, ErrorCode::bad_shape, cat("rows of ", e.back(), " features for a model of ", v->features));
        f.need_scratch(Work(*v, scores, nullptr).bytes * static_cast<size_t>(f.team().threads()));
      },
      [=, &table](Frame& f, RowsState& s) {
        const auto finish = make(f);
        const auto* in = f.ptr<const std::byte>(x);
        const size_t each = Work(*v, scores, nullptr).bytes;
        const kernels::Tiling tiles{s.rows, tile_rows(*v)};
        kernels::parallel_for(f.team(), tiles.count(), static_cast<double>(s.rows) * ns, [&](int64_t tile, int worker) {
          const int64_t first = tiles.begin(tile), count = tiles.end(tile) - first;
          const Work w(*v, scores, f.scratch() + static_cast<size_t>(worker) * each);
          table.widen.fn(type, in + first * v->features * size, count * v->features, w.x);
          table.products.fn({w.x, count, v->features, v->packed.data(),
                             v->single.empty() || distances ? nullptr : v->single.data(), v->start.data(), v->padded,
                             distances, w.products});
          finish(first, count, w.products, w.scores);
        });
      });
}

double product_ns(const PackedVectors& v) {
  return 0.1 * static_cast<double>(v.padded * v.features) + 20;
}

// What a machine's kernel makes of products or distances.
void apply_kernel(const kernels::ModelTable& table, const SvmAttrs& a, double* v, int64_t n) {
  double gamma = 0, coef0 = 0, degree = 0;
  if (a.kernel_params.size() == 3) gamma = a.kernel_params[0], coef0 = a.kernel_params[1], degree = a.kernel_params[2];
  switch (a.kernel_type) {
    case SvmKernel::rbf:
      return table.map.fn(kernels::ModelMap::exp, -gamma, 0, 0, v, n);
    case SvmKernel::poly:
      return table.map.fn(kernels::ModelMap::power, gamma, coef0, degree, v, n);
    case SvmKernel::sigmoid:
      return table.map.fn(kernels::ModelMap::tanh, gamma, coef0, 0, v, n);
    case SvmKernel::linear:
      break;
  }
}

}  // namespace

void transform_rows(const kernels::ModelTable& table, PostTransform transform, double* scores, int64_t rows,
                    int64_t n) {
  if (transform == PostTransform::none) return;
  if (transform == PostTransform::logistic) {
    if (n > 1) table.map.fn(kernels::ModelMap::sigmoid, 0, 0, 0, scores, rows * n);
    return;
  }
  if (transform != PostTransform::softmax) {
    for (int64_t r = 0; r < rows; ++r) transform_scores(transform, {scores + r * n, static_cast<size_t>(n)});
    return;
  }
  if (n > 1) table.softmax.fn(scores, rows, n);
}

bool bind_linear_classifier(Binder& b) {
  const auto& a = b.attrs<LinearClassifier>();
  if (!takes_rows(b)) return false;
  if (a.classlabels_ints.empty()) return b.refuse("labels are strings");
  const int64_t n = a.num_scores(), labels = a.num_labels(), features = std::ssize(a.coefficients) / n;
  auto v = std::make_shared<const PackedVectors>(a.coefficients.data(), n, features, a.intercepts);
  const bool second = n == 1 && labels == 2;
  const int64_t width = second ? 2 : n;
  const kernels::ModelTable& table = b.table().models;
  const Slot x = b.in(0), y = b.wants(0) ? b.out(0) : kNoSlot, z = b.wants(1) ? b.out(1) : kNoSlot;
  add_step(b, x, v, false, width, product_ns(*v), [=, &a, &table](Frame& f) {
    auto* label = y == kNoSlot ? nullptr : f.ptr<int64_t>(y);
    auto* out = z == kNoSlot ? nullptr : f.ptr<float>(z);
    return [=, &a, &table](int64_t first, int64_t count, const double* products, double* scores) {
      for (int64_t r = 0; r < count; ++r) {
        const double* row = products + r * kernels::model_padded(n);
        // Without branches that nobody can foretell.
        int64_t best = n == 1 && labels == 2 && row[0] > 0;
        double most = row[0];
        for (int64_t k = 1; k < n; ++k) {
          best = row[k] > most ? k : best;
          most = row[k] > most ? row[k] : most;
        }
        if (label) label[first + r] = a.classlabels_ints[static_cast<size_t>(best)];
        if (second)
          expand_score(a.post_transform, SecondScore::complement, row[0], scores + r * width);
        else
          for (int64_t k = 0; k < n; ++k) scores[r * width + k] = row[k];
      }
      if (!out) return;
      if (!second) transform_rows(table, a.post_transform, scores, count, width);
      table.narrow.fn(scores, count * width, out + first * width);
    };
  });
  return true;
}

bool bind_linear_regressor(Binder& b) {
  const auto& a = b.attrs<LinearRegressor>();
  if (!takes_rows(b)) return false;
  const int64_t n = a.targets, features = std::ssize(a.coefficients) / n;
  auto v = std::make_shared<const PackedVectors>(a.coefficients.data(), n, features, a.intercepts);
  const kernels::ModelTable& table = b.table().models;
  const Slot x = b.in(0), y = b.out(0);
  add_step(b, x, v, false, n, product_ns(*v), [=, &a, &table](Frame& f) {
    auto* out = f.ptr<float>(y);
    return [=, &a, &table](int64_t first, int64_t count, const double* products, double* scores) {
      for (int64_t r = 0; r < count; ++r)
        for (int64_t k = 0; k < n; ++k) scores[r * n + k] = products[r * kernels::model_padded(n) + k];
      transform_rows(table, a.post_transform, scores, count, n);
      table.narrow.fn(scores, count * n, out + first * n);
    };
  });
  return true;
}

bool bind_svm_classifier(Binder& b) {
  const auto& a = b.attrs<SVMClassifier>();
  if (!takes_rows(b)) return false;
  if (a.classlabels_ints.empty()) return b.refuse("labels are strings");
  const auto voter = std::make_shared<const SvmVoter>(a);
  const int64_t vectors = a.num_vectors(), width = voter->num_scores();
  auto v = std::make_shared<const PackedVectors>(vectors ? a.support_vectors.data() : a.coefficients.data(),
                                                 vectors ? vectors : a.num_classes(), voter->features(),
                                                 vectors ? std::vector<double>() : std::vector<double>{a.rho[0]});
  const kernels::ModelTable& table = b.table().models;
  const Slot x = b.in(0), y = b.wants(0) ? b.out(0) : kNoSlot, z = b.wants(1) ? b.out(1) : kNoSlot;
  add_step(b, x, v, vectors && a.kernel_type == SvmKernel::rbf, width, product_ns(*v), [=, &a, &table](Frame& f) {
    auto* label = y == kNoSlot ? nullptr : f.ptr<int64_t>(y);
    auto* out = z == kNoSlot ? nullptr : f.ptr<float>(z);
    return [=, &a, &table](int64_t first, int64_t count, double* k, double*) {
      if (vectors) apply_kernel(table, a, k, count * v->padded);
      thread_local SvmVoter::Work work;
      for (int64_t r = 0; r < count; ++r) {
        const size_t best = (*voter)(k + r * v->padded, table.dot.fn, work);
        if (label) label[first + r] = a.classlabels_ints[best];
        if (!out) continue;
        if (voter->expand(work.row)) transform_rows(table, a.post_transform, work.row.data(), 1, width);
        table.narrow.fn(work.row.data(), width, out + (first + r) * width);
      }
    };
  });
  return true;
}

bool bind_svm_regressor(Binder& b) {
  const auto& a = b.attrs<SVMRegressor>();
  if (!takes_rows(b)) return false;
  const bool linear = a.n_supports == 0;
  const int64_t vectors = linear ? 1 : a.n_supports;
  const auto& list = linear ? a.coefficients : a.support_vectors;
  auto v =
      std::make_shared<const PackedVectors>(list.data(), vectors, std::ssize(list) / vectors, std::vector<double>());
  const kernels::ModelTable& table = b.table().models;
  const Slot x = b.in(0), y = b.out(0);
  add_step(b, x, v, !linear && a.kernel_type == SvmKernel::rbf, 1, product_ns(*v), [=, &a, &table](Frame& f) {
    auto* out = f.ptr<float>(y);
    return [=, &a, &table](int64_t first, int64_t count, double* k, double*) {
      if (!linear) apply_kernel(table, a, k, count * v->padded);
      for (int64_t r = 0; r < count; ++r) {
        const double* row = k + r * v->padded;
        const double score = a.rho[0] + (linear ? row[0] : table.dot.fn(row, a.coefficients.data(), vectors));
        out[first + r] = static_cast<float>(a.one_class ? score > 0 ? 1 : -1 : score);
      }
    };
  });
  return true;
}

}  // namespace tc::cpu
