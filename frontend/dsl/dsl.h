// The whole vocabulary of the C++ DSL; docs/dsl.md lists it.
#pragma once

#include "tc/frontend/dsl/check.h"
#include "tc/frontend/dsl/control.h"
#include "tc/frontend/dsl/creation.h"
#include "tc/frontend/dsl/custom.h"
#include "tc/frontend/dsl/elementwise.h"
#include "tc/frontend/dsl/fft.h"
#include "tc/frontend/dsl/function.h"
#include "tc/frontend/dsl/index.h"
#include "tc/frontend/dsl/linalg.h"
#include "tc/frontend/dsl/manipulation.h"
#include "tc/frontend/dsl/nn.h"
#include "tc/frontend/dsl/optimizer.h"
#include "tc/frontend/dsl/parameter.h"
#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/special.h"
#include "tc/frontend/dsl/trace.h"
