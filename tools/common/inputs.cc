#include "tc/tools/common/inputs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

#include "tc/frontend/api/files/npy.h"
#include "tc/frontend/onnx/tensor_proto.h"
#include "tc/ir/eval/wide.h"

namespace tc {
namespace {

// real() for each element of a floating-point or complex type, whole() for each of another.
template <class Real, class Whole>
Tensor drawn(DType t, Extents extents, Real&& real, Whole&& whole) {
  Tensor out(t, std::move(extents));
  const auto fill = [&](auto values, auto& draw) {
    for (auto& x : values) x = draw();
    narrow(values, out);
  };
  const auto n = static_cast<size_t>(out.size());
  if (kind(t) == DTypeKind::floating || kind(t) == DTypeKind::complex)
    fill(std::vector<double>(n), real);
  else
    fill(std::vector<int64_t>(n), whole);
  return out;
}

Tensor random_tensor(DType t, Extents extents, std::mt19937_64& rng) {
  if (kind(t) == DTypeKind::string) return Tensor(t, std::move(extents));
  std::normal_distribution<double> normal;
  return drawn(
      t, std::move(extents), [&] { return normal(rng); },
      [&] { return static_cast<int64_t>(rng() % (kind(t) == DTypeKind::boolean ? 2 : 10)); });
}

// Numbers of [low, high]; whole ones where the type has no others.
Tensor uniform_tensor(DType t, Extents extents, double low, double high, std::mt19937_64& rng) {
  if (!(low <= high)) fail(ErrorCode::bad_argument, "there is no number from ", low, " to ", high);
  std::uniform_real_distribution<double> real(low, high);
  std::uniform_int_distribution<int64_t> whole(std::llround(low), std::llround(high));
  return drawn(
      t, std::move(extents), [&] { return real(rng); }, [&] { return whole(rng); });
}

int64_t parse_int(std::string_view s, const std::string& where) {
  int64_t v = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (error != std::errc() || end != s.data() + s.size())
    fail(ErrorCode::bad_argument, "'", s, "' in ", where, " is not an integer");
  return v;
}

double parse_double(const std::string& s, const std::string& where) {
  char* stop = nullptr;
  const double v = std::strtod(s.c_str(), &stop);
  if (s.empty() || *stop) fail(ErrorCode::bad_argument, "'", s, "' in ", where, " is not a number");
  return v;
}

std::vector<std::string> split(std::string_view s, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t at = s.find(separator);
    parts.emplace_back(s.substr(0, at));
    if (at == s.npos) return parts;
    s.remove_prefix(at + 1);
  }
}

// NAME=VALUE at the last '=' that leaves a known name on the left: names may hold '=' and so may literals.
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::vector<ValueInfo>& inputs) {
  for (size_t at = text.find('='); at != text.npos; at = text.find('=', at + 1))
    for (const auto& in : inputs)
      if (in.name == text.substr(0, at)) return {in.name, text.substr(at + 1)};
  const size_t at = text.find('=');
  if (at == text.npos) fail(ErrorCode::bad_argument, "--input ", text, ": expected NAME=FILE or NAME=LITERAL");
  std::vector<std::string_view> names;
  std::string all;
  for (const auto& in : inputs) names.push_back(in.name), all += (all.empty() ? "" : ", ") + in.name;
  const std::string near = nearest(text.substr(0, at), names);
  throw Error({ErrorCode::bad_input,
               cat("the model has no input '", text.substr(0, at), "'"),
               {},
               {},
               {near.empty() ? "its inputs are " + all : "did you mean '" + near + "'?"}});
}

Datum read_input(const ValueInfo& in, const std::string& value, uint64_t seed) {
  if (value.ends_with(".npy")) return read_npy(value);
  if (value.ends_with(".pb")) return onnx::read_value(value, in.type);
  if (const size_t at = value.rfind(".npz:"); at != value.npos)
    return read_npz_member(value.substr(0, at + 4), value.substr(at + 5));
  if (value.ends_with(".npz")) return read_npz_member(value, in.name);
  return parse_literal(value, seed);
}

}  // namespace

Tensor parse_literal(const std::string& text, uint64_t seed) {
  const size_t end = text.find_first_of("=@");
  const std::string shape = text.substr(0, end);
  const auto parts = split(shape, 'x');
  const auto dtype = dtype_from_name(parts.back());
  if (!dtype)
    throw Error({ErrorCode::bad_argument,
                 cat("'", text, "' is neither a .npy, .npz or .pb file nor a literal"),
                 {},
                 {},
                 {"literals look like 2xi64=3,4 or 1x3x224x224xf32@random"}});
  Extents extents;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    extents.push_back(parse_int(parts[i], text));
    if (extents.back() < 0) fail(ErrorCode::bad_argument, "negative extent in ", text);
  }
  if (end == text.npos || text[end] == '@') {
    const std::string how = end == text.npos ? "zeros" : text.substr(end + 1);
    std::mt19937_64 rng(seed);
    if (how == "random") return random_tensor(*dtype, extents, rng);
    if (const size_t dots = how.find(".."); dots != how.npos)
      return uniform_tensor(*dtype, extents, parse_double(how.substr(0, dots), text),
                            parse_double(how.substr(dots + 2), text), rng);
    Tensor t(*dtype, extents);
    if (how == "ones")
      narrow(std::vector<int64_t>(static_cast<size_t>(t.size()), 1), t);
    else if (how != "zeros")
      fail(ErrorCode::bad_argument, "'@", how, "' in ", text, ": expected @random, @LOW..HIGH, @zeros or @ones");
    return t;
  }
  const auto values =
      text.size() == end + 1 ? std::vector<std::string>() : split(std::string_view(text).substr(end + 1), ',');
  Tensor t(*dtype, extents);
  if (static_cast<int64_t>(values.size()) != t.size())
    fail(ErrorCode::bad_argument, text, ": ", t.type(), " has ", t.size(), " elements, ", values.size(), " are given");
  switch (kind(*dtype)) {
    case DTypeKind::string:
      narrow(values, t);
      break;
    case DTypeKind::floating:
    case DTypeKind::complex: {
      std::vector<double> v;
      for (const auto& s : values) v.push_back(parse_double(s, text));
      narrow(v, t);
      break;
    }
    default: {
      std::vector<int64_t> v;
      for (const auto& s : values) v.push_back(s == "true" ? 1 : s == "false" ? 0 : parse_int(s, text));
      narrow(v, t);
    }
  }
  return t;
}

LoadOptions load_options(const InputSpec& spec) {
  LoadOptions result;
  result.shared_symbols = spec.shared_symbols;
  // A name may itself hold an equals sign.
  for (const auto& text : spec.inputs)
    for (size_t at = text.find('='); at != text.npos; at = text.find('=', at + 1))
      result.overridden.insert(text.substr(0, at));
  if (!spec.npz.empty())
    for (const auto& [name, tensor] : read_npz(spec.npz)) result.overridden.insert(name);
  return result;
}

std::vector<Datum> gather_inputs(const Function& f, const InputSpec& spec) {
  const auto infos = f.inputs();
  std::vector<std::optional<Datum>> values(infos.size());
  auto index_of = [&](const std::string& name) {
    return static_cast<size_t>(std::find_if(infos.begin(), infos.end(), [&](const auto& i) { return i.name == name; }) -
                               infos.begin());
  };
  std::map<std::string, int64_t> dims;
  for (const auto& d : spec.dims) {
    const size_t at = d.rfind('=');
    if (at == d.npos) fail(ErrorCode::bad_argument, "--dim ", d, ": expected SYMBOL=N");
    dims[d.substr(0, at)] = parse_int(std::string_view(d).substr(at + 1), "--dim " + d);
  }
  const uint64_t seed = spec.random_seed.value_or(1);
  for (const auto& text : spec.inputs) {
    const auto [name, value] = split_assignment(text, infos);
    auto& slot = values[index_of(name)];
    if (slot) fail(ErrorCode::bad_input, "input '", name, "' is given twice");
    slot = read_input(infos[index_of(name)], value, seed);
  }
  if (!spec.npz.empty())
    for (auto& [name, tensor] : read_npz(spec.npz)) {
      const size_t i = index_of(name);
      if (i == infos.size()) fail(ErrorCode::bad_input, "the model has no input '", name, "', a member of ", spec.npz);
      if (!values[i]) values[i] = Datum(tensor);
    }
  // Symbols that given inputs fix hold for the random ones too.
  for (size_t i = 0; i < infos.size(); ++i) {
    if (!values[i] || !values[i]->is_tensor() || !infos[i].type.is_tensor() || !infos[i].type.shape().ranked())
      continue;
    const Shape& shape = infos[i].type.shape();
    for (int k = 0; k < std::min(shape.rank(), values[i]->tensor().rank()); ++k)
      if (shape[k].is_symbol()) dims.emplace(shape[k].str(), values[i]->tensor().extent(k));
  }
  std::mt19937_64 rng(seed);
  std::vector<Datum> result;
  std::string missing;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (values[i]) {
      result.push_back(*values[i]);
      continue;
    }
    const Type& t = infos[i].type;
    if (!spec.random_seed) {
      missing += cat(missing.empty() ? "" : ", ", "'", infos[i].name, "' ", t);
      continue;
    }
    if (!t.is_tensor() || !t.shape().ranked())
      fail(ErrorCode::bad_input, "input '", infos[i].name, "' of type ", t, " cannot be made up; give it with --input");
    Extents extents;
    for (const Dim& d : t.shape().dims()) {
      const auto e = d.eval([&](const std::string& s) -> std::optional<int64_t> {
        const auto it = dims.find(s);
        return it == dims.end() ? 1 : it->second;
      });
      if (!e || *e < 0) fail(ErrorCode::bad_input, "extent ", d, " of input '", infos[i].name, "' is undefined");
      extents.push_back(*e);
    }
    result.push_back(random_tensor(t.dtype(), extents, rng));
  }
  if (!missing.empty())
    throw Error({ErrorCode::bad_input,
                 "no value for " + missing,
                 {},
                 {},
                 {"give them with --input NAME=FILE, --inputs FILE.npz, or let --random make them up"}});
  return result;
}

}  // namespace tc
