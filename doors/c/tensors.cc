// Tensors and lists of them.
#include <algorithm>
#include <cstring>

#include "tc/doors/c/handles.h"

namespace tc::c {
namespace {

Extents extents_of(int rank, const int64_t* extents) {
  if (rank < 0) fail(ErrorCode::bad_argument, "a tensor of rank ", rank);
  if (rank == 0) return {};
  const int64_t* first = &needed(extents, "extents");
  return Extents(first, first + rank);
}

DType no_strings(tc_dtype dtype) {
  const DType t = dtype_of_code(dtype);
  if (t == DType::str) fail(ErrorCode::bad_type, "tensors of strings are made by tc_tensor_create_strings");
  return t;
}

}  // namespace

tc_dtype code_of(DType t) {
  return info(t).onnx;
}

DType dtype_of_code(tc_dtype code) {
  const auto t = dtype_from_onnx(code);
  if (!t) fail(ErrorCode::bad_argument, "there is no element type with the code ", code);
  return *t;
}

std::vector<Tensor> tensors_of(const tc_tensor* const* list, size_t count, const char* name) {
  std::vector<Tensor> tensors;
  if (count) needed(list, name);
  for (size_t i = 0; i < count; ++i) {
    if (!list[i]) fail(ErrorCode::bad_argument, "'", name, "[", i, "]' is null");
    tensors.push_back(list[i]->tensor);
  }
  return tensors;
}

void give_out(std::vector<Tensor> results, tc_tensor** outputs) {
  std::vector<std::unique_ptr<tc_tensor>> fresh(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    if (!outputs[i]) {
      fresh[i] = std::make_unique<tc_tensor>(tc_tensor{results[i].aligned_copy()});
      continue;
    }
    const Tensor& into = outputs[i]->tensor;
    if (into.dtype() != results[i].dtype() || into.extents() != results[i].extents())
      fail(ErrorCode::bad_argument, "output ", i, " is ", results[i].type(), "; the tensor for it is ", into.type());
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (fresh[i]) {
      outputs[i] = fresh[i].release();
      continue;
    }
    Tensor& into = outputs[i]->tensor;
    if (into.dtype() == DType::str)
      std::ranges::copy(results[i].span<std::string>(), into.mutable_span<std::string>().begin());
    else if (into.bytes() && into.data() != results[i].data())
      std::memcpy(into.mutable_data(), results[i].data(), into.bytes());
  }
}

}  // namespace tc::c

using namespace tc;
using namespace tc::c;

extern "C" {

const char* tc_dtype_name(tc_dtype dtype) {
  const auto t = dtype_from_onnx(dtype);
  return t ? name(*t).data() : nullptr;  // a literal of dtype.def
}

size_t tc_dtype_size(tc_dtype dtype) {
  const auto t = dtype_from_onnx(dtype);
  return t && *t != DType::str ? size_of(*t) : 0;
}

tc_status tc_tensor_create(tc_dtype dtype, int rank, const int64_t* extents, const void* data, tc_tensor** out) {
  return guard([&] {
    needed(out, "out");
    Tensor t(no_strings(dtype), extents_of(rank, extents));
    if (data && t.bytes()) std::memcpy(t.mutable_data(), data, t.bytes());
    *out = new tc_tensor{std::move(t)};
  });
}

tc_status tc_tensor_borrow(tc_dtype dtype, int rank, const int64_t* extents, void* data, size_t bytes,
                           tc_release release, void* context, tc_tensor** out) {
  return guard([&] {
    const std::shared_ptr<void> owner = lent(data, release, context);
    needed(out, "out");
    const DType t = no_strings(dtype);
    Extents shape = extents_of(rank, extents);
    const auto count = static_cast<uint64_t>(element_count(shape));
    if (count > bytes / size_of(t))
      fail(ErrorCode::bad_argument, "a tensor of ", count, " elements of ", name(t), " does not fit ", bytes, " bytes");
    if (count && !data) fail(ErrorCode::bad_argument, "'data' is null");
    Tensor tensor = data ? Tensor::borrow(t, std::move(shape), data, owner) : Tensor(t, std::move(shape));
    if (!tensor.aligned()) fail(ErrorCode::bad_argument, "'data' is not aligned to elements of ", name(t));
    *out = new tc_tensor{std::move(tensor)};
  });
}

tc_status tc_tensor_create_strings(int rank, const int64_t* extents, const char* const* strings, tc_tensor** out) {
  return guard([&] {
    needed(out, "out");
    Tensor t(DType::str, extents_of(rank, extents));
    if (t.size()) needed(strings, "strings");
    size_t i = 0;
    for (std::string& s : t.mutable_span<std::string>()) s = &needed(strings[i++], "strings[i]");
    *out = new tc_tensor{std::move(t)};
  });
}

tc_dtype tc_tensor_dtype(const tc_tensor* tensor) {
  return tensor ? code_of(tensor->tensor.dtype()) : 0;
}

int tc_tensor_rank(const tc_tensor* tensor) {
  return tensor ? tensor->tensor.rank() : 0;
}

const int64_t* tc_tensor_extents(const tc_tensor* tensor) {
  return tensor ? tensor->tensor.extents().data() : nullptr;
}

int64_t tc_tensor_count(const tc_tensor* tensor) {
  return tensor ? tensor->tensor.size() : 0;
}

const void* tc_tensor_data(const tc_tensor* tensor) {
  return tensor && tensor->tensor.dtype() != DType::str ? tensor->tensor.data() : nullptr;
}

tc_status tc_tensor_mutable_data(tc_tensor* tensor, void** out) {
  return guard([&] {
    Tensor& t = needed(tensor, "tensor").tensor;
    if (t.dtype() == DType::str) fail(ErrorCode::bad_type, "strings of a tensor are not written in place");
    needed(out, "out") = t.mutable_data();
  });
}

tc_status tc_tensor_string(const tc_tensor* tensor, int64_t index, const char** text, size_t* length) {
  return guard([&] {
    const Tensor& t = needed(tensor, "tensor").tensor;
    if (t.dtype() != DType::str) fail(ErrorCode::bad_type, "the tensor has elements of ", name(t.dtype()));
    if (index < 0 || index >= t.size())
      fail(ErrorCode::bad_argument, "element ", index, " of a tensor of ", t.size(), " elements");
    const std::string& s = t.span<std::string>()[static_cast<size_t>(index)];
    needed(text, "text") = s.c_str();
    if (length) *length = s.size();
  });
}

void tc_tensor_release(tc_tensor* tensor) {
  delete tensor;
}

tc_status tc_tensors_create(tc_tensors** out) {
  return guard([&] { needed(out, "out") = new tc_tensors; });
}

tc_status tc_tensors_load(const char* path, tc_tensors** out) {
  return guard([&] {
    needed(out, "out");
    *out = new tc_tensors{load_tensors(&needed(path, "path"))};
  });
}

tc_status tc_tensors_save(const tc_tensors* tensors, const char* path) {
  return guard([&] { save_tensors(&needed(path, "path"), needed(tensors, "tensors").list); });
}

tc_status tc_tensors_add(tc_tensors* tensors, const char* name, const tc_tensor* tensor) {
  return guard(
      [&] { needed(tensors, "tensors").list.emplace_back(&needed(name, "name"), needed(tensor, "tensor").tensor); });
}

size_t tc_tensors_count(const tc_tensors* tensors) {
  return tensors ? tensors->list.size() : 0;
}

const char* tc_tensors_name(const tc_tensors* tensors, size_t index) {
  return index < tc_tensors_count(tensors) ? tensors->list[index].first.c_str() : nullptr;
}

tc_status tc_tensors_get(const tc_tensors* tensors, size_t index, tc_tensor** out) {
  return guard([&] {
    const auto& list = needed(tensors, "tensors").list;
    if (index >= list.size()) fail(ErrorCode::bad_argument, "tensor ", index, " of a list of ", list.size());
    needed(out, "out");
    *out = new tc_tensor{list[index].second.aligned_copy()};
  });
}

void tc_tensors_release(tc_tensors* tensors) {
  delete tensors;
}

}  // extern "C"
