#include "writer.h"

#include <algorithm>
#include <cmath>

#include "program.h"

namespace tc::programs {
namespace {

// The name of a symbol says what it stands for.
std::string symbol_of(int64_t extent) {
  return cat("n", extent);
}

Extents concrete(const Var& v) {
  Extents result;
  for (const Dim& d : v.shape()) result.push_back(d.value());
  return result;
}

std::span<const Statement> random_group(Writer& w) {
  switch (w.below(10)) {
    case 0:
    case 1:
    case 2:
      return elementwise_statements();
    case 3:
      return reduction_statements();
    case 4:
      return product_statements();
    case 5:
    case 6:
      return movement_statements();
    case 7:
      return indexing_statements();
    case 8:
      return norm_statements();
    default:
      return spatial_statements();
  }
}

}  // namespace

std::string list(const std::vector<int64_t>& values) {
  std::string text;
  for (const int64_t v : values) text += cat(text.empty() ? "" : ", ", v);
  return "{" + text + "}";
}

Writer Writer::second_pass() const {
  Writer w(seed_);
  w.extents_ = extents_;
  return w;
}

int64_t Writer::between(int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random_);
}

double Writer::number(double low, double high) {
  return std::round(std::uniform_real_distribution<double>(low, high)(random_) * 100) / 100;
}

Extents Writer::random_extents(int rank) {
  Extents extents;
  for (int i = 0; i < rank; ++i) extents.push_back(chance(0.2) ? 1 : between(2, 6));
  return extents;
}

Tensor Writer::uniform(DType t, const Extents& extents, double low, double high) {
  Tensor result(t, extents);
  std::uniform_real_distribution<double> draw(low, high);
  if (t == f32)
    for (float& x : result.mutable_span<float>()) x = static_cast<float>(draw(random_));
  else
    for (double& x : result.mutable_span<double>()) x = draw(random_);
  return result;
}

Var Writer::source(const Tensor& t, const std::string& name, bool is_input, bool fixed) {
  if (first_pass_) {
    if (is_input) inputs.push_back({t, fixed});
    return asarray(t);
  }
  text += cat("  ", name, " = ", is_input ? "input " : "constant ", t.type(), "\n");
  return is_input ? given_[taken_++] : asarray(t);
}

Item Writer::fresh(const Extents& extents, double low, double high) {
  const std::string name = cat("v", names_++);
  const bool is_input = chance(0.6);
  return {source(uniform(dtype_, extents, low, high), name, is_input), name, extents,
          std::max(std::abs(low), std::abs(high)), true};
}

Item Writer::kernel(const Extents& extents) {
  const std::string name = cat("v", names_++);
  const bool is_input = chance(0.6);
  return {source(uniform(dtype_, extents, -1, 1), name, is_input, true), name, extents, 1, true};
}

Item Writer::fresh_ints(const Extents& extents, int64_t low, int64_t high, DType t) {
  const std::string name = cat("v", names_++);
  const bool is_input = chance(0.5);
  std::vector<int64_t> values(static_cast<size_t>(element_count(extents)));
  for (int64_t& v : values) v = between(low, high);
  Tensor tensor = Tensor::of<int64_t>(extents, values);
  if (t == i32) tensor = Tensor::of<int32_t>(extents, std::vector<int32_t>(values.begin(), values.end()));
  return {source(tensor, name, is_input), name, extents, static_cast<double>(std::max(std::abs(low), std::abs(high))),
          true};
}

Item Writer::any(int low, int high) {
  std::vector<size_t> fitting;
  for (size_t i = 0; i < items_.size(); ++i)
    if (items_[i].rank() >= low && items_[i].rank() <= high) fitting.insert(fitting.end(), uses_[i] ? 1 : 4, i);
  if (fitting.empty() || chance(0.1)) {
    items_.push_back(
        fresh(random_extents(static_cast<int>(between(std::max(low, 1), std::max(1, std::min(high, 4)))))));
    uses_.push_back(1);
    return items_.back();
  }
  const size_t chosen = one_of(fitting);
  ++uses_[chosen];
  return items_[chosen];
}

Item Writer::partner(const Item& a) {
  const auto broadcasts = [&](const Extents& b) {
    int64_t count = 1;
    for (size_t i = 0; i < std::max(a.extents.size(), b.size()); ++i) {
      const int64_t x = i < a.extents.size() ? a.extents[a.extents.size() - 1 - i] : 1;
      const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
      if (x != y && x != 1 && y != 1) return false;
      count *= std::max(x, y);
    }
    return count <= kMaxElements;
  };
  std::vector<size_t> fitting;
  for (size_t i = 0; i < items_.size(); ++i)
    if (items_[i].name != a.name && broadcasts(items_[i].extents)) fitting.push_back(i);
  if (!fitting.empty() && chance(0.6)) {
    const size_t chosen = one_of(fitting);
    ++uses_[chosen];
    return items_[chosen];
  }
  Extents extents = a.extents;
  for (int64_t& d : extents)
    if (chance(0.3)) d = 1;
  const auto dropped = static_cast<std::ptrdiff_t>(chance(0.3) ? between(0, a.rank()) : 0);
  return fresh(Extents(extents.begin() + dropped, extents.end()));
}

Item Writer::condition(const Item& a) {
  Extents extents = a.extents;
  for (int64_t& d : extents)
    if (chance(0.2)) d = 1;
  const Item x = fresh(extents);
  const double edge = number(-1, 1);
  return chance(0.5) ? aside(cat(x.name, " > ", edge), x.v > edge, 1, true)
                     : aside(cat(x.name, " <= ", edge), x.v <= edge, 1, true);
}

Item Writer::named(const std::string& statement, Var v, double size, bool exact) {
  const std::string name = cat("v", names_++);
  if (first_pass_) extents_.push_back(concrete(v));
  text += cat("  ", name, " = ", statement, "\n");
  return {std::move(v), name, extents_.at(seen_++), size, exact};
}

Item Writer::aside(const std::string& statement, Var v, double size, bool exact) {
  return named(statement, std::move(v), size, exact);
}

Item Writer::add(const std::string& statement, Var v, double size, bool exact) {
  Item item = named(statement, std::move(v), size, exact);
  if (item.count() > 0 && item.count() <= kMaxElements && item.v.dtype() == dtype_) {
    items_.push_back(item);
    uses_.push_back(0);
  }
  return item;
}

Item Writer::bounded(const Item& a, double limit) {
  if (a.size <= limit) return a;
  const double factor = limit / a.size;
  return aside(cat(a.name, " * ", factor), a.v * factor, limit);
}

Item Writer::positive(const Item& a) {
  return aside(cat("abs(", a.name, ") + 0.5"), abs(a.v) + 0.5, a.size + 0.5);
}

Item Writer::unit(const Item& a) {
  const Item x = bounded(a, 3);  // where a tanh is flat its gradient is all rounding
  return aside(cat("0.9 * tanh(", x.name, ")"), 0.9 * tanh(x.v), 0.9);
}

Outputs Writer::write(const std::vector<Var>& given, bool first_pass) {
  given_ = given, first_pass_ = first_pass;
  text.clear();
  for (int64_t i = between(1, 3); i > 0; --i) {
    items_.push_back(fresh(random_extents(static_cast<int>(between(1, 4)))));
    uses_.push_back(0);
  }
  for (int64_t i = between(4, 12); i > 0; --i) {
    const auto group = random_group(*this);
    group[static_cast<size_t>(below(static_cast<int64_t>(group.size())))](*this);
    Item& last = items_.back();
    if (last.size > 20) last = bounded(last, 4);
  }
  Outputs outputs{{"loss", {}}};
  for (size_t i = 0; i < items_.size(); ++i)
    if (!uses_[i]) outputs.push_back({items_[i].name, items_[i].v});
  if (outputs.size() == 1) outputs.push_back({items_.back().name, items_.back().v});
  Var loss;
  for (const Item& item : std::vector<Item>(items_)) {
    if (std::none_of(outputs.begin(), outputs.end(), [&](const Output& o) { return o.name == item.name; })) continue;
    const Item weights = fresh(item.extents, -1, 1);
    const Var part = mean(item.v * weights.v);
    text += cat("  loss += mean(", item.name, " * ", weights.name, ")\n");
    loss = loss.defined() ? loss + part : part;
  }
  outputs[0].value = loss;
  return outputs;
}

Program random_program(uint64_t seed) {
  Writer first(seed);
  const std::string name = cat("program", seed);
  trace(name, {}, [&](std::vector<Var> given) { return first.write(given, true); });
  Writer second = first.second_pass();
  std::vector<Input> inputs;
  std::mt19937_64 random(seed);
  const bool symbolic = random() % 3 == 0;
  std::vector<Tensor> values;
  for (const auto& [t, fixed] : first.inputs) {
    values.push_back(t);
    Input input{cat("in", inputs.size()), t.dtype(), {}};
    for (const int64_t d : t.extents())
      if (symbolic && !fixed && d > 1 && random() % 2)
        input.shape.emplace_back(symbol_of(d));
      else
        input.shape.emplace_back(d);
    inputs.push_back(std::move(input));
  }
  const auto write = [&](std::vector<Var> given) { return second.write(given, false); };
  Function f = trace(name, inputs, write);
  return {seed, std::move(second.text), std::move(f), std::move(values)};
}

}  // namespace tc::programs
