#include "tc/ir/diag.h"

#include <algorithm>
#include <numeric>

namespace tc {

detail::Text::Text() = default;
detail::Text::~Text() = default;
std::string detail::Text::str() const {
  return stream_.str();
}

namespace {

thread_local const Frame* innermost = nullptr;

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t substitute = diagonal + (std::tolower(a[i]) != std::tolower(b[j]));
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view to_string(ErrorCode code) {
  switch (code) {
#define TC_ERROR(id, spelling, doc) \
  case ErrorCode::id:               \
    return spelling;
#include "tc/ir/diag.def"
#undef TC_ERROR
  }
  return "?";
}

std::string Diagnostic::str() const {
  std::string text = cat(to_string(code), ": ");
  if (!location.empty()) text += cat(location, ": ");
  text += message;
  for (const auto& c : context) text += cat("\n  in ", c);
  for (const auto& n : notes) text += cat("\n  note: ", n);
  return text;
}

Error::Error(Diagnostic d) : diagnostic_(std::move(d)) {
  std::vector<std::string> frames;
  for (const Frame* f = innermost; f; f = f->outer_) frames.push_back(cat(f->kind_, " ", f->name_));
  // A diagnostic that is thrown again has them already.
  auto& context = diagnostic_.context;
  if (context.size() < frames.size() || !std::equal(frames.rbegin(), frames.rend(), context.rbegin()))
    context.insert(context.end(), frames.begin(), frames.end());
  text_ = diagnostic_.str();
}

Frame::Frame(std::string_view kind, std::string_view name) : kind_(kind), name_(name), outer_(innermost) {
  innermost = this;
}
Frame::~Frame() {
  innermost = outer_;
}

std::string nearest(std::string_view name, const std::vector<std::string_view>& candidates) {
  std::string_view best;
  // Something of the name must be left: for short names nothing is near.
  size_t best_distance = std::min(std::max<size_t>(2, name.size() / 3) + 1, name.size());
  if (name.size() > 256) return {};
  for (std::string_view c : candidates) {
    size_t d = edit_distance(name, c);
    if (d < best_distance) best_distance = d, best = c;
  }
  return std::string(best);
}

void check_failed(const char* condition, const char* file, int line, const std::string& message) {
  throw Error({ErrorCode::internal,
               cat("check failed: ", condition, message.empty() ? "" : ": ", message),
               cat(file, ":", line),
               {},
               {"this is a defect of tc itself, not of the model"}});
}

}  // namespace tc
