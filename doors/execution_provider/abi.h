// The structs through which the host calls the plug-in, as of version 23 of its API: the host reads no further than the
// version that a struct says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tc/doors/execution_provider/host.h"

namespace tc::provider {

// What computes one fused node.
struct NodeComputeInfo {
  uint32_t version = kApiVersion;
  Status* (*create_state)(NodeComputeInfo*, void* context, void** state) = nullptr;
  Status* (*compute)(NodeComputeInfo*, void* state, void* kernel_context) = nullptr;
  void (*release_state)(NodeComputeInfo*, void* state) = nullptr;
};

struct NodeFusionOptions {
  uint32_t version = kApiVersion;
  bool drop_constant_initializers = true;
};

// A provider of one session. What is null has a default in the host.
struct Ep {
  uint32_t version = kApiVersion;
  const char* (*name)(const Ep*) = nullptr;
  Status* (*capability)(Ep*, const void* graph, void* support) = nullptr;
  Status* (*compile)(Ep*, const void** graphs, const void** fused, size_t count, NodeComputeInfo** infos,
                     void** context_nodes) = nullptr;
  void (*release_infos)(Ep*, NodeComputeInfo** infos, size_t count) = nullptr;
  void* layout[2] = {};
  void* set_dynamic_options = nullptr;
  void* on_run_start = nullptr;
  void* on_run_end = nullptr;
  void* create_allocator = nullptr;
  void* create_stream = nullptr;
  void* compatibility = nullptr;
  void* later[16] = {};
};

struct Factory {
  uint32_t version = kApiVersion;
  const char* (*name)(const Factory*) = nullptr;
  const char* (*vendor)(const Factory*) = nullptr;
  Status* (*devices)(Factory*, const void* const* hardware, size_t count, void** ep_devices, size_t max,
                     size_t* made) = nullptr;
  Status* (*create)(Factory*, const void* const* hardware, const void* const* metadata, size_t count,
                    const void* session_options, const void* logger, Ep** out) = nullptr;
  void (*release)(Factory*, Ep*) = nullptr;
  uint32_t (*vendor_id)(const Factory*) = nullptr;
  const char* (*version_text)(const Factory*) = nullptr;
  void* validate = nullptr;
  void* create_allocator = nullptr;
  void* release_allocator = nullptr;
  Status* (*data_transfer)(Factory*, void** out) = nullptr;
  bool (*stream_aware)(const Factory*) = nullptr;
  void* create_stream = nullptr;
  void* later[16] = {};
};

}  // namespace tc::provider
