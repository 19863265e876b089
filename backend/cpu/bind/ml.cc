#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/encoders.h"
#include "tc/backend/cpu/bind/models.h"
#include "tc/backend/cpu/bind/trees.h"

namespace tc::cpu {

void rows_bind_ml(BindRows& rows) {
  rows.push_back({OpId::LabelEncoder, "label_encoder", bind_label_encoder});
  rows.push_back({OpId::OneHotEncoder, "one_hot_encoder", bind_one_hot_encoder});
  rows.push_back({OpId::LinearClassifier, "linear_classifier", bind_linear_classifier});
  rows.push_back({OpId::LinearRegressor, "linear_regressor", bind_linear_regressor});
  rows.push_back({OpId::SVMClassifier, "svm_classifier", bind_svm_classifier});
  rows.push_back({OpId::SVMRegressor, "svm_regressor", bind_svm_regressor});
  rows.push_back({OpId::TreeEnsembleClassifier, "trees", bind_tree_classifier});
  rows.push_back({OpId::TreeEnsembleRegressor, "trees", bind_tree_regressor});
  rows.push_back({OpId::TreeEnsemble, "trees", bind_tree_ensemble});
}

}  // namespace tc::cpu
