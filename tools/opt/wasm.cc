#include "tc/tools/opt/wasm.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tc/ir/diag.h"
#include "tc/tools/common/installed.h"

namespace tc {

void add_wasm_options(CLI::App& app, WasmFlags& flags) {
  auto* wasm =
      app.add_option("--wasm", flags.folder,
                     "write a WebAssembly module for this ONNX model alone, and a page that runs it, into this "
                     "folder (needs Node and ./dev wasm)");
  app.add_option("--wasm-form", flags.form,
                 "snapshot (default): the compiled model, without an importer; importer: the model beside")
      ->check(CLI::IsMember({"snapshot", "importer"}))
      ->needs(wasm);
  app.add_option("--wasm-keep", flags.keep,
                 "calls: what trial runs call; all: what that may call, too; by default all where an extent is open")
      ->check(CLI::IsMember({"calls", "all"}))
      ->needs(wasm);
}

void write_wasm(const std::string& model, const WasmFlags& flags, const std::vector<std::string>& dims) {
  const char* const package = std::getenv("TC_WEB");
  const std::string script = (package != nullptr ? package : data_path("build-wasm/npm/tc-web")) + "/single.mjs";
  if (!std::filesystem::exists(script))
    fail(ErrorCode::bad_file, "--wasm: ", script,
         " is not there; ./dev wasm builds it, and TC_WEB names the package's folder");
  std::vector<std::string> words = {"node", script, model, flags.folder};
  const auto give = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  give("--form", flags.form);
  give("--keep", flags.keep);
  for (const std::string& d : dims) give("--dim", d);
  std::vector<char*> arguments;
  for (std::string& w : words) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  fail(ErrorCode::bad_file, "--wasm: cannot start node: ", std::strerror(errno));
}

}  // namespace tc
