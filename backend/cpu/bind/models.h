// Linear models and support vector machines, rows of bind_ml.cc, and what else becomes of rows of scores.
#pragma once

#include <cstdint>

#include "tc/ir/ops/ml.h"
#include "tc/kernels/models/models.h"

namespace tc::cpu {

class Binder;

bool bind_linear_classifier(Binder& b);
bool bind_linear_regressor(Binder& b);
bool bind_svm_classifier(Binder& b);
bool bind_svm_regressor(Binder& b);

// transform_scores() of each row of [rows, n].
void transform_rows(const kernels::ModelTable& table, PostTransform transform, double* scores, int64_t rows, int64_t n);

}  // namespace tc::cpu
