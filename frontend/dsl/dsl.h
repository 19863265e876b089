// The whole vocabulary of the C++ DSL.
#pragma once

#include "tc/frontend/dsl/elementwise.h"
#include "tc/frontend/dsl/function.h"
#include "tc/frontend/dsl/shape.h"
#include "tc/frontend/dsl/trace.h"
#include "tc/frontend/dsl/tree.h"
#include "tc/frontend/dsl/var.h"
