// What classical models share: rows of features, and what becomes of scores. Formulas and their quirks are ONNX
// Runtime's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tc/ir/eval/eval.h"

namespace tc {

// Operand 0 as rows of features: [N,C], or [C] as one row.
struct FeatureRows {
  explicit FeatureRows(EvalContext& ctx);
  int64_t rows, features;
  std::vector<double> values;
  const double* row(int64_t i) const { return values.data() + i * features; }
};

// Applies the transform to several scores of a row. A single score is changed by `probit` alone.
void transform_scores(PostTransform transform, std::span<double> scores);
double logistic(double v);

// How the second of two scores follows from one: the counter-probability, or the opposite sign.
enum class SecondScore : uint8_t { complement, opposite };
// Both scores of a row that has one. Transforms other than `logistic` and `probit` leave them as they are; the latter
// takes the place of the first score.
void expand_score(PostTransform transform, SecondScore second, double score, double* both);

// Writes result 0 of a classifier: the labels of classes.
void write_labels(EvalContext& ctx, const std::vector<std::string>& strings, const std::vector<int64_t>& ints,
                  const std::vector<size_t>& classes);

}  // namespace tc
