// A program as a page: one HTML file without anything else, for any browser.
#pragma once

#include <string>
#include <vector>

#include "tc/frontend/api/compile.h"

namespace tc {

struct GraphViewOptions {
  std::string title = {};  // default: the program's name
  // Of a compiled program: it is run on these this many times, and each node shows what it took at best; empty: no
  // times. Programs without inputs take an empty list.
  std::vector<Datum> inputs = {};
  int runs = 5;
};

// Writes a page with the graph of the program: ops with shapes, sizes and where they come from; branches, loops and
// functions fold, and so do scopes of names such as /layer1/conv. Errors: bad_file when it cannot be written.
void graph_view(const Function& f, const std::string& path, const GraphViewOptions& options = {});
// The same of what is executed: fused, with the kernel of each node, and times when there are inputs. Errors: those of
// a run, too.
void graph_view(const Compiled& f, const std::string& path, const GraphViewOptions& options = {});

}  // namespace tc
