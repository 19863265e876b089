// What the compiler says about itself on request. TC_VERBOSE=compile,pass,rewrite,dispatch,exec (or `all`) makes each
// named topic print CSV lines to standard error; a line begins with its topic, and the first line of a topic names its
// columns.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tc {

enum class Topic : uint8_t { compile, pass, rewrite, dispatch, exec };

bool verbose(Topic t);
// Replaces what TC_VERBOSE said. Error bad_argument for an unknown topic.
void set_verbose(std::string_view topics);
// Lines go to `sink` instead of standard error; an empty function restores it. Headers are printed anew.
void set_verbose_sink(std::function<void(std::string_view line)> sink);
// One line; `columns` is the header of the topic. Does nothing when the topic is off. Thread-safe.
void report(Topic t, std::string_view columns, std::initializer_list<std::string> fields);

}  // namespace tc
