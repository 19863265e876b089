// A step on the op's reference body. Regions run as sub-plans.
#pragma once

#include <vector>

#include "tc/backend/cpu/plan/plan.h"
#include "tc/ir/tensor.h"

namespace tc::cpu {

class ReferenceStep : public Step {
 public:
  void run(Frame& f, int index) const override;
  std::vector<Slot> operands, results;  // kNoSlot: absent, or unused

 protected:
  std::vector<Datum> values_of_operands(const Frame& f) const;
  void run_registered(Frame& f, const std::vector<Datum>& values) const;
  void evaluate(Frame& f, int index, const std::vector<Datum>& values) const;
};

}  // namespace tc::cpu
