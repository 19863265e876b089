// Resampling over spatial axes, a row of bind_movement.cc.
#pragma once

namespace tc::cpu {

class Binder;

bool bind_resize(Binder& b);

}  // namespace tc::cpu
