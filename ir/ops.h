// All ops.
#pragma once

#include "tc/ir/ops/control.h"
#include "tc/ir/ops/conv.h"
#include "tc/ir/ops/core.h"
#include "tc/ir/ops/elementwise.h"
#include "tc/ir/ops/fused.h"
#include "tc/ir/ops/gather.h"
#include "tc/ir/ops/matmul.h"
#include "tc/ir/ops/movement.h"
#include "tc/ir/ops/norm.h"
#include "tc/ir/ops/pool.h"
#include "tc/ir/ops/quant.h"
#include "tc/ir/ops/reduce.h"
#include "tc/ir/ops/rnn.h"
#include "tc/ir/ops/search.h"
#include "tc/ir/ops/sequence.h"
#include "tc/ir/ops/softmax.h"
