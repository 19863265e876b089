#include "tc/ir/verbose.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "tc/ir/diag.h"

namespace tc {
namespace {

constexpr std::array<std::string_view, 5> kTopics{"compile", "pass", "rewrite", "dispatch", "exec"};

uint32_t parse_topics(std::string_view text) {
  uint32_t mask = 0;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
    if (word.empty()) continue;
    if (word == "all") {
      mask = (1u << kTopics.size()) - 1;
      continue;
    }
    bool known = false;
    for (size_t i = 0; i < kTopics.size(); ++i)
      if (kTopics[i] == word) mask |= 1u << i, known = true;
    if (!known)
      fail(ErrorCode::bad_argument, "TC_VERBOSE: unknown topic '", word,
           "'; known: all, compile, pass, rewrite, dispatch, exec");
  }
  return mask;
}

struct State {
  std::atomic<uint32_t> topics{0};
  std::mutex mutex;
  uint32_t headers = 0;  // topics whose header has been printed
  std::function<void(std::string_view)> sink;
};

State& state() {
  static State* s = [] {
    auto* made = new State;  // never destroyed: static destructors may still report
    if (const char* env = std::getenv("TC_VERBOSE")) {
      try {
        made->topics = parse_topics(env);
      } catch (const Error& e) {
        std::fprintf(stderr, "%s\n", e.what());
      }
    }
    return made;
  }();
  return *s;
}

void append_field(std::string& line, std::string_view field) {
  if (field.find_first_of(",\"\n") == field.npos) {
    line += field;
    return;
  }
  line += '"';
  for (char c : field) {
    if (c == '"') line += '"';
    line += c == '\n' ? ' ' : c;
  }
  line += '"';
}

}  // namespace

bool verbose(Topic t) {
  return state().topics.load(std::memory_order_relaxed) >> static_cast<int>(t) & 1;
}

void set_verbose(std::string_view topics) {
  state().topics = parse_topics(topics);
}

void set_verbose_sink(std::function<void(std::string_view line)> sink) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.sink = std::move(sink);
  s.headers = 0;
}

void report(Topic t, std::string_view columns, std::initializer_list<std::string> fields) {
  if (!verbose(t)) return;
  const auto topic = kTopics[static_cast<size_t>(t)];
  std::string line(topic);
  for (const auto& f : fields) {
    line += ',';
    append_field(line, f);
  }
  State& s = state();
  const std::lock_guard lock(s.mutex);
  auto print = [&](const std::string& text) {
    if (s.sink)
      s.sink(text);
    else
      std::fprintf(stderr, "%s\n", text.c_str());
  };
  const uint32_t bit = 1u << static_cast<int>(t);
  if (!(s.headers & bit)) {
    s.headers |= bit;
    print(cat(topic, ",", columns));
  }
  print(line);
}

}  // namespace tc
