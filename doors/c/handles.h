// What the handles of tc_c.h hold, and how exceptions become statuses.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tc/doors/c/tc_c.h"
#include "tc/frontend/api/tc.h"

struct tc_options {
  std::map<std::string, std::string> entries;
};
struct tc_tensor {
  tc::Tensor tensor;  // aligned
};
struct tc_tensors {
  tc::NamedTensors list;
};
struct tc_function {
  struct Value {
    std::string name, type;
    tc_dtype dtype = 0;
    int rank = -1;
    tc::Extents extents;
  };
  explicit tc_function(tc::Function f);
  tc::Function function;
  std::vector<Value> inputs, outputs;
};

namespace tc::c {

// The message of this thread becomes `message`.
tc_status failed(tc_status status, const char* message) noexcept;
tc_status status_of(ErrorCode code);

template <class Body>
tc_status guard(Body&& body) noexcept {
  try {
    body();
    return TC_OK;
  } catch (const Error& e) {
    return failed(status_of(e.code()), e.what());
  } catch (const std::bad_alloc&) {
    return failed(status_of(ErrorCode::limit_memory), "out of memory");
  } catch (const std::exception& e) {
    return failed(status_of(ErrorCode::internal), e.what());
  }
}

// An argument that must be there, named in the error.
template <class T>
T& needed(T* argument, const char* name) {
  if (!argument) fail(ErrorCode::bad_argument, "'", name, "' is null");
  return *argument;
}

// Memory that was lent: the deleter tells the lender.
std::shared_ptr<void> lent(void* memory, tc_release release, void* context);

char* copy_of(const std::string& text);  // for tc_free

tc_dtype code_of(DType t);
DType dtype_of_code(tc_dtype code);  // Error bad_argument for none

// Checked lists of tensors, and results into the caller's array: `outputs` is written once nothing can fail any more.
std::vector<Tensor> tensors_of(const tc_tensor* const* list, size_t count, const char* name);
void give_out(std::vector<Tensor> results, tc_tensor** outputs);

// Reads options: each asks for a name, the last for all that nobody asked for.
class OptionReader {
 public:
  OptionReader(const tc_options* options, const char* reader) : reader_(reader) {
    if (options) left_ = options->entries;
  }
  std::optional<std::string> text(const std::string& name);
  void number(const std::string& name, int& value);
  void number(const std::string& name, uint64_t& value);
  void number(const std::string& name, double& value);
  void flag(const std::string& name, bool& value);
  std::map<std::string, int64_t> dims();  // of dim:NAME
  // The index of the value among `names`, and `value` without one.
  size_t choice(const std::string& name, const std::vector<std::string>& names, size_t value);
  void finish() const;  // Error bad_argument for what is left

 private:
  template <class T>
  void parse(const std::string& name, T& value, const char* what);
  [[noreturn]] void refuse(const std::string& name, const std::string& value, const std::string& what) const;
  std::string reader_;
  std::map<std::string, std::string> left_;
  std::vector<std::string> names_;
};

// The options of tc_compile.
CompilerOptions compiler_options(OptionReader& read);

}  // namespace tc::c
