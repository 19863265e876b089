// What every tool does around its own work: exit status 0 for success, 1 for a failure, 2 for a wrong command line, and
// one clear line on standard error for the latter two. `--help` ends with the examples in the app's footer.
#pragma once

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>

#include "tc/backend/onnx/atomic_file.h"
#include "tc/ir/diag.h"
#include "tc/tools/common/installed.h"

namespace tc {

// Parses the command line, then runs `body`, whose result is the exit status. Arguments that turn out to be wrong only
// there (Error bad_argument: an unknown pass, a malformed literal) count as a wrong command line too. A subcommand's
// help and errors are its own. A reader that has closed its pipe, or a full disk behind standard output, is an error,
// too; signals that end the program leave no half-written files.
inline int run_tool(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  app.set_version_flag("--version", cat(app.get_name(), " (tc) ", version()), "Print the version and exit");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  onnx::AtomicFile::remove_on_signals();
  try {
    const int status = body();
    errno = 0;
    std::cout.flush();
    if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout)) {
      std::cerr << app.get_name() << ": bad-file: cannot write standard output"
                << (errno ? std::string(": ") + std::strerror(errno) : "") << "\n";
      return 1;
    }
    return status;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const Error& e) {
    std::cerr << app.get_name() << ": " << e.what() << "\n";
    return e.code() == ErrorCode::bad_argument ? 2 : 1;
  } catch (const std::bad_alloc&) {
    std::cerr << app.get_name() << ": out of memory\n";
    return 1;
  } catch (const std::exception& e) {
    std::cerr << app.get_name() << ": " << e.what() << "\n";
    return 1;
  }
}

}  // namespace tc
