// Encoders of features by tables, rows of bind_ml.cc.
#pragma once

namespace tc::cpu {

class Binder;

bool bind_label_encoder(Binder& b);
bool bind_one_hot_encoder(Binder& b);

}  // namespace tc::cpu
