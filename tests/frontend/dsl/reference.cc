#include "reference.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

namespace tc::vocabulary {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> files(const std::string& folder, const std::string& prefix, const std::string& end) {
  std::set<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(TC_SOURCE_DIR "/" + folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(end)) found.insert(entry.path());
  }
  return {found.begin(), found.end()};
}

// White space as one blank each, none at the ends.
std::string joined(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (!std::isspace(static_cast<unsigned char>(c)))
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// The place behind the bracket that closes the one at `open`; npos when there is none. Strings may hold brackets.
size_t behind_bracket(const std::string& text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '"')
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
    else if (text[i] == '(' || text[i] == '[' || text[i] == '{')
      ++depth;
    else if ((text[i] == ')' || text[i] == ']' || text[i] == '}') && --depth == 0)
      return i + 1;
  }
  return text.npos;
}

std::string remark_of(const std::string& line) {
  const size_t at = line.find("//");
  return at == line.npos ? "" : joined(line.substr(at + 2));
}

// Operands without their type, since every one is an Arg.
std::string arguments_of(std::string text) {
  text = joined(text);
  for (const std::string noise : {"const ", "Arg ", "std::"})
    for (size_t at = text.find(noise); at != text.npos; at = text.find(noise, at))
      if (at == 0 || !in_word(text[at - 1]))
        text.erase(at, noise.size());
      else
        ++at;
  for (size_t at = text.find('&'); at != text.npos; at = text.find('&')) text.erase(at, 1);
  // The place of the call is nothing that a caller gives.
  const size_t place = text.find("Location at");
  if (place != text.npos) text.erase(place);
  while (text.ends_with(' ') || text.ends_with(',')) text.pop_back();
  return text;
}

std::string operands_of(const std::string& arguments) {
  std::string result;
  std::istringstream list(arguments);
  for (std::string one; std::getline(list, one, ',');) {
    one = joined(one.substr(one.find_first_not_of(' ')));
    if (one.find(' ') == one.npos)
      result += (result.empty() ? "" : ", ") + one;
    else if (one.find(" = ") == one.npos)
      return {};
  }
  return result;
}

// Functions that are one op each: TC_DSL_UNARY(name, Op, domain) and its like.
void add_plain_functions(std::map<std::string, Declaration>& to) {
  std::istringstream rows(text_of(TC_SOURCE_DIR "/frontend/dsl/elementwise.def"));
  for (std::string line; std::getline(rows, line);) {
    const size_t open = line.find('('), comma = line.find(','), close = line.rfind(')');
    if (!line.starts_with("TC_DSL_") || comma == line.npos || close == line.npos) continue;
    std::string arguments = line.starts_with("TC_DSL_BINARY") ? "a, b" : "x";
    if (line.starts_with("TC_DSL_ACTIVATION")) {
      const size_t parameter = line.find(", ", comma + 1) + 2, preset = line.find(", ", parameter);
      arguments += ", double " + line.substr(parameter, preset - parameter) + " = " +
                   line.substr(preset + 2, close - preset - 2);
    }
    to[line.substr(open + 1, comma - open - 1)] = {arguments, operands_of(arguments), remark_of(line),
                                                   "elementwise.def"};
  }
}

// The namespace of a header's line: a header opens each on a line of its own, and closes it with its name.
void follow_namespace(const std::string& line, std::string& prefix) {
  for (const std::string name : {"linalg", "fft", "special", "random", "signal", "sparse", "dsl", "portable"}) {
    if (line == "namespace " + name + " {" || line == "namespace tc::" + name + " {") prefix = name + ".";
    if (line == "}  // namespace " + name || line == "}  // namespace tc::" + name) prefix.clear();
  }
}

}  // namespace

std::map<std::string, Declaration> declarations() {
  std::map<std::string, Declaration> result;
  add_plain_functions(result);
  for (const auto& path : files("frontend/dsl", "", ".h")) {
    std::istringstream header(text_of(path));
    std::string prefix, above;  // the comment that lines without code end with
    for (std::string line; std::getline(header, line);) {
      follow_namespace(line, prefix);
      const std::string comment = std::exchange(above, {});
      if (line.starts_with("// ")) above = (comment.empty() ? "" : comment + " ") + line.substr(3);
      if (line.starts_with("[[nodiscard]] ")) line.erase(0, line.find(' ') + 1);
      if (prefix == "dsl." || line.empty() || !std::isalpha(static_cast<unsigned char>(line[0]))) continue;
      if (line.starts_with("template") || line.starts_with("using ") || line.starts_with("inline ")) continue;
      const size_t open = line.find('(');
      if (open == line.npos || line.find("//") < open) continue;
      while (behind_bracket(line, open) == line.npos) {
        std::string more;
        if (!std::getline(header, more)) break;
        line += more;
      }
      const size_t close = behind_bracket(line, open);
      if (close == line.npos || line.compare(close, 1, ";") != 0) continue;
      size_t first = open;
      while (first > 0 && in_word(line[first - 1])) --first;
      if (first == 0 || line[first - 1] != ' ') continue;
      const std::string name = line.substr(first, open - first);
      const std::string remark = remark_of(line);
      // Of overloads those for arrays.
      if (line.find("(Complex ") != line.npos || line.find("(const Complex&") != line.npos) continue;
      const std::string arguments = arguments_of(line.substr(open + 1, close - open - 2));
      result.emplace(prefix + name, Declaration{arguments, operands_of(arguments), remark.empty() ? comment : remark,
                                                path.filename().string()});
    }
  }
  return result;
}

std::map<std::string, std::vector<Option>> options() {
  std::map<std::string, std::vector<Option>> result;
  for (const auto& path : files("frontend/dsl", "", ".h")) {
    std::istringstream header(text_of(path));
    for (std::string line; std::getline(header, line);) {
      const std::string start = "struct ", end = "Options {";
      if (!line.starts_with(start) || !line.ends_with(end)) continue;
      std::vector<Option>& fields = result[line.substr(start.size(), line.size() - start.size() - 2)];
      std::string above;  // comments on lines of their own
      while (std::getline(header, line) && line != "};") {
        const std::string remark = remark_of(line), code = joined(line.substr(0, line.find("//")));
        if (code.empty()) {
          above += (above.empty() ? "" : " ") + remark;
          continue;
        }
        const size_t blank = code.find(' '), last = code.rfind(';');
        if (blank == code.npos || last == code.npos || code.find('(') < code.find('=')) continue;
        const std::string named = code.substr(blank + 1, last - blank - 1);
        const size_t equals = named.find(" = ");
        fields.push_back({code.substr(0, blank), named.substr(0, equals),
                          equals == named.npos ? "" : named.substr(equals + 3), above.empty() ? remark : above});
        above.clear();
      }
    }
  }
  return result;
}

std::map<std::string, std::string> examples() {
  std::map<std::string, std::string> result;
  for (const auto& path : files("tests/frontend/dsl", "rows_", ".cc")) {
    const std::string text = text_of(path);
    // A row is ("name", {inputs}, [](Var x) { return call; }, ...).
    for (size_t at = text.find('"'); at != text.npos; at = text.find('"', at + 1)) {
      const size_t end = text.find('"', at + 1);
      if (end == text.npos) break;
      const std::string name = text.substr(at + 1, end - at - 1);
      at = end;
      size_t next = text.find_first_not_of(", \n", end + 1);
      if (next == text.npos || text[next] != '{') continue;
      next = behind_bracket(text, next);
      if (next == text.npos) continue;
      next = text.find_first_not_of(", \n", next);
      if (next == text.npos || text.compare(next, 2, "[]") != 0) continue;
      const size_t body = text.find('{', next), close = body == text.npos ? text.npos : behind_bracket(text, body);
      if (close == text.npos) continue;
      const std::string code = joined(text.substr(body + 1, close - body - 2));
      if (!code.starts_with("return ") || code.find(';') + 1 != code.size()) continue;
      const std::string call = code.substr(7, code.size() - 8);
      std::string& kept = result[name];
      // The longest one shows most options, as long as it fits a line.
      if (kept.empty() || (call.size() > kept.size() && call.size() <= 72)) kept = call;
    }
  }
  return result;
}

}  // namespace tc::vocabulary
