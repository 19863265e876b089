// IR → ONNX. What the target opset (or ONNX Runtime) lacks is rewritten first: ops are decomposed, element types
// widened between casts; everything that cannot be expressed is reported in one error.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tc/ir/tensor.h"

namespace tc {

class Module;

enum class ExportTarget : uint8_t {
  standard,  // what the ONNX standard defines, and nothing else
  ort,       // only ops and element types that ONNX Runtime's CPU kernels have
};
// Calls, and ops that ONNX has no operator for.
enum class ExportFunctions : uint8_t { inlined, local };
// ONNX has no operator that stops a run. Checks are left out, with a line each in the report; or refused; or said as a
// trap: an output of their graph is multiplied by 1, which is looked up where there is nothing if the check fails, by a
// node that is named by the message.
enum class ExportChecks : uint8_t { dropped, refused, trap };
// The numbers of tc::random. `generator`: its arithmetic is in the file, with the same numbers in every runtime.
// `keys`: likewise, and constant keys become inputs with their words as defaults. `inputs`: numbers become inputs of
// the file; a JavaScript module beside it makes them, with the same bits. `onnx`: ONNX's random operators, whose
// numbers are each runtime's own. What cannot be moved stays a generator, with a line in the report: draws in loops by
// `inputs`, those of rejection by either.
enum class ExportRandom : uint8_t { generator, keys, inputs, onnx };
// Ops that a program registered (tc::register_op), where they have a body in ops of tc: the body, inlined or as a
// function in the file, as ExportFunctions says; or nodes of their domain, which the reader must know. Without a body
// they are nodes.
enum class ExportCustomOps : uint8_t { bodies, nodes };
// tc::debug_print: left out, with a line in the report, or a further output of the file that is named by the message.
enum class ExportPrints : uint8_t { dropped, outputs };
enum class ExternalData : uint8_t { automatic, never, always };  // automatic: where the file would exceed 2 GiB

inline constexpr int kMinExportOpset = 13, kMaxExportOpset = 28;

struct ExportOptions {
  int opset = 18;  // of ai.onnx; those of the other domains and the IR version follow from it
  ExportTarget target = ExportTarget::standard;
  ExportFunctions functions = ExportFunctions::inlined;
  std::map<std::string, int64_t> dims = {};  // symbols that become fixed extents
  std::vector<Datum> example_inputs = {};    // one per input: their extents become fixed
  ExternalData external_data = ExternalData::automatic;
  int64_t external_threshold = 1024;  // bytes of the least tensor that goes to the external file
  bool value_info = true;             // types of intermediate values
  std::string graph_name = {};        // empty: the program's
  std::string doc_string = {};        // empty: the program's
  std::string producer_name = "tc", producer_version = {};
  ExportChecks checks = ExportChecks::dropped;
  ExportRandom random = ExportRandom::generator;
  ExportCustomOps custom_ops = ExportCustomOps::bodies;
  ExportPrints prints = ExportPrints::dropped;
  // Of tc::export_onnx. 0: as written. 1: simplified, with what has a well-known operator raised to it, and constants
  // folded into convolutions: rules whose results every runtime has.
  int level = 1;
};

// What export had to change, in program order.
struct ExportChange {
  std::string location;  // of the node; may be empty
  std::string op;        // its IR name
  std::string what;      // "computed in f32 between casts: ONNX Runtime has no kernel for Erf of f64"
};
// Random numbers that became an input.
struct ExportedDraw {
  std::string input, sampler;  // "random.normal": of its standard parameters
  std::string type;            // "f32[batch,16]"
  std::string key;             // "key.split[0].fold_in(3)": how it is made of an input or of constant words
};
struct ExportReport {
  std::vector<ExportChange> changes;
  std::vector<ExportedDraw> draws;
  // The JavaScript module that makes them, MODEL.draws.mjs beside MODEL.onnx: draws(given) takes the program's inputs
  // by name as {dims, data} and returns those of the draws. Empty where there are none.
  std::string draws_script;
  // Rules that optimised the program first, and how often.
  std::vector<std::pair<std::string, int64_t>> rewrites;
  // A line per different change, with the number of times and the first place; without rewrites.
  std::string str() const;
};

namespace onnx {

// Writes `path` (and `path`.data for external data), all or nothing. Errors: bad_argument for options; unsupported,
// listing everything that cannot be expressed; bad_file when the file cannot be written.
ExportReport export_file(const Module& module, const std::string& path, const ExportOptions& options = {});
// The same in memory; external data is refused.
std::string export_bytes(const Module& module, const ExportOptions& options = {}, ExportReport* report = nullptr);

// Does as options.random says; before other passes, which do not keep the names by which draws are known.
void place_draws(Module& module, const ExportOptions& options, ExportReport& report);
// Does as options.custom_ops and options.prints say; before calls are inlined.
void place_custom_ops(Module& module, const ExportOptions& options, ExportReport& report);
// Writes the script of the report beside the model.
void write_draws_script(const ExportReport& report, const std::string& model);
std::string draws_script_path(const std::string& model);

// Says nodes of kinds that `original` lacks in operators that ONNX Runtime has, where it lacks theirs: optimising a
// program must not take a reader from it.
void keep_portable(Module& module, const Module& original, int opset);

}  // namespace onnx
}  // namespace tc
