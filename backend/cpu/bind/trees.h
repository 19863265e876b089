// Tree ensembles, rows of bind_ml.cc.
#pragma once

namespace tc::cpu {

class Binder;

bool bind_tree_classifier(Binder& b);
bool bind_tree_regressor(Binder& b);
bool bind_tree_ensemble(Binder& b);

}  // namespace tc::cpu
