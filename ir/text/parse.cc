#include "tc/ir/text/parse.h"

#include <algorithm>
#include <charconv>

#include "tc/ir/custom_op.h"
#include "tc/ir/ops/core.h"
#include "tc/ir/text/lexer.h"
#include "tc/ir/text/parse_value.h"
#include "tc/ir/verify.h"

namespace tc {
namespace {

using text::Label;
using text::Lexer;
using text::Token;
using text::TokenKind;

// A function or the main graph: where it stands, what it calls.
struct Item {
  size_t offset = 0;
  Label name;
  size_t name_offset = 0;
  std::vector<Label> calls;
  Graph* graph = nullptr;
  enum { fresh, open, done } state = fresh;
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view filename, const ParseOptions& options) : in_(text, filename) {
    resources_.budget = options.max_generated;
  }

  std::unique_ptr<Module> run() {
    module_ = std::make_unique<Module>();
    try {
      survey();
      for (size_t i : call_order()) {
        in_.rewind(functions_[i].offset);
        parse_function(*functions_[i].graph);
      }
      in_.rewind(main_.offset);
      parse_function(module_->main());
    } catch (const Error& e) {
      if (in_.failed() || located_) throw;
      rethrow(e, in_.position());
    }
    verify(*module_);
    return std::move(module_);
  }

 private:
  // Errors from below, such as those of inference, at a place in the text.
  [[noreturn]] void rethrow(const Error& e, size_t offset) {
    const Diagnostic& d = e.diagnostic();
    Diagnostic located{d.code, d.message, in_.place(offset), {}, d.notes};
    if (!d.location.empty() && !find_op(d.location)) located.notes.push_back(cat("at ", d.location));
    located_ = true;
    throw Error(std::move(located));
  }

  // First pass: resources and metadata are read, functions only found, so that they may call later ones.
  void survey() {
    bool has_main = false;
    while (in_.peek().kind != TokenKind::end) {
      const Token t = in_.peek();
      if (in_.accept_word("metadata")) {
        const std::string key = in_.string("a string");
        in_.expect('=', "'='");
        if (!module_->metadata.emplace(key, in_.string("a string")).second)
          in_.fail_at(t.offset, "this metadata is given twice");
      } else if (in_.accept_word("resource")) {
        resource();
      } else if (in_.accept_word("func")) {
        functions_.push_back(skip_function(t));
        Item& f = functions_.back();
        if (f.name.name.empty()) in_.fail_at(f.name_offset, "a function needs a name that is not a number");
        if (module_->find_function(f.name.name)) in_.fail_at(f.name_offset, "this function is defined twice");
        f.graph = &module_->add_function(f.name.name);
      } else if (in_.accept_word("graph")) {
        if (has_main) in_.fail_at(t.offset, "a second graph; others are functions: func @name(...)");
        has_main = true;
        main_ = skip_function(t);
        module_->main().set_name(main_.name.name);
      } else {
        in_.fail_expected("graph, func, resource or metadata");
      }
    }
    if (!has_main) in_.fail_expected("graph @name(...) {...}");
  }

  void resource() {
    const Token t = in_.peek();
    const Label label = in_.label(TokenKind::label, "@ and the resource's name");
    in_.expect(':', "':' and a type");
    const size_t type_offset = in_.position();
    const Type type = text::parse_type(in_);
    in_.expect('=', "'=' and the data");
    if (!resources_.tensors.emplace(label.key, text::parse_literal(in_, type, type_offset, resources_)).second)
      in_.fail_at(t.offset, "this resource is defined twice");
    resources_.names.emplace(label.key, label.name);
  }

  Item skip_function(const Token& keyword) {
    Item item;
    item.name_offset = in_.position();
    item.offset = item.name_offset;
    item.name = in_.label(TokenKind::label, cat("@ and a name after ", keyword.text));
    std::vector<size_t> open;
    do {
      const Token t = in_.next();
      if (t.kind == TokenKind::end)
        in_.fail_at(open.empty() ? keyword.offset : open.back(),
                    open.empty() ? "this graph has no body" : "this '{' is not closed");
      if (t.kind == TokenKind::mark && t.text == "{") open.push_back(t.offset);
      if (t.kind == TokenKind::mark && t.text == "}") {
        if (open.empty()) in_.fail_at(t.offset, "'}' without '{'");
        open.pop_back();
        if (open.empty()) return item;
      }
      if (t.kind == TokenKind::word && t.text == "call" && in_.peek().kind == TokenKind::label) {
        const size_t here = in_.position();
        item.calls.push_back(in_.label(TokenKind::label, "a function"));
        in_.rewind(here);
      }
      if (t.kind == TokenKind::symbol) reserve(t);
    } while (true);
  }

  // Symbols ?N of the text and those that inference makes meanwhile must differ.
  void reserve(const Token& t) {
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(t.text.data() + 1, t.text.data() + t.text.size(), number);
    if (end != t.text.data() + t.text.size()) return;
    if (error != std::errc() || number >> 62) in_.fail_at(t.offset, "the number of this symbol is too large");
    module_->reserve_symbols(number + 1);
  }

  // Callees before callers, by depth-first search with an explicit stack.
  std::vector<size_t> call_order() {
    std::unordered_map<std::string, size_t> index;
    for (size_t i = 0; i < functions_.size(); ++i) index.emplace(functions_[i].name.key, i);
    std::vector<size_t> order, stack;
    for (size_t root = 0; root < functions_.size(); ++root) {
      stack.push_back(root);
      while (!stack.empty()) {
        Item& f = functions_[stack.back()];
        if (f.state == Item::fresh) {
          f.state = Item::open;
          for (const Label& callee : f.calls) {
            const auto it = index.find(callee.key);
            if (it == index.end()) continue;  // reported at the call
            if (functions_[it->second].state == Item::open)
              in_.fail_at(f.name_offset, "recursion: @", f.name.name, " calls @", callee.name,
                          ", which leads back to it");
            if (functions_[it->second].state == Item::fresh) stack.push_back(it->second);
          }
        } else {
          if (f.state == Item::open) order.push_back(stack.back());
          f.state = Item::done;
          stack.pop_back();
        }
      }
    }
    return order;
  }

  void parse_function(Graph& g) {
    in_.next();  // the name
    declared_.clear();
    scopes_.clear();
    scopes_.emplace_back();
    if (!in_.at('(')) in_.fail_expected("'(' and the inputs");
    graph(g);
  }

  // From the inputs to the closing brace.
  void graph(Graph& g) {
    if (in_.accept('(') && !in_.accept(')')) {
      do {
        const Token t = in_.peek();
        const Label label = in_.label(TokenKind::value, "an input: %name: type");
        in_.expect(':', "':' and the input's type");
        define(t, label, g.add_input(text::parse_type(in_), label.name));
      } while (in_.accept(','));
      in_.expect(')', "',' or ')'");
    }
    const size_t donations_offset = in_.position();
    if (in_.accept_word("donate")) donations(g);
    in_.expect('{', "'{' and the nodes");
    while (!in_.at_word("return")) node(g);
    terminator(g);
    in_.expect('}', "'}' after return");
    for (const auto& [output, input] : g.donations)
      if (input >= g.num_inputs() || output >= g.num_outputs())
        in_.fail_at(donations_offset, "donation of input ", input, " to output ", output, ": there is no such one");
  }

  void donations(Graph& g) {
    const auto index = [&](std::string_view what) {
      const size_t start = in_.position();
      const int64_t i = in_.integer(what);
      if (i < 0 || i > INT32_MAX) in_.fail_at(start, "expected ", what);
      return static_cast<int>(i);
    };
    in_.expect('(', "'('");
    do {
      const int input = index("the index of an input");
      in_.expect('-', "'->'");
      in_.expect('>', "'->'");
      g.donations.emplace_back(index("the index of an output"), input);
    } while (in_.accept(','));
    in_.expect(')', "',' or ')'");
  }

  void define(const Token& t, const Label& label, Value* v) {
    for (const auto& scope : scopes_)
      if (scope.count(label.key)) in_.fail_at(t.offset, "%", t.text, " is defined twice");
    scopes_.back().emplace(label.key, v);
  }

  Value* operand() {
    const Token t = in_.peek();
    if (in_.accept_word("_")) return nullptr;
    const Label label = in_.label(TokenKind::value, "an operand: %name, or _ for an absent one");
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto it = scope->find(label.key); it != scope->end()) return it->second;
    std::vector<std::string> spelled;
    for (const auto& scope : scopes_)
      for (const auto& [key, v] : scope)
        if (!v->name().empty()) spelled.push_back(v->name());
    in_.fail_unknown(t, cat("%", t.text, " is not defined here"), label.name, {spelled.begin(), spelled.end()});
  }

  std::vector<Value*> operands() {
    std::vector<Value*> list;
    if (in_.peek().new_line || !(in_.peek().kind == TokenKind::value || in_.at_word("_"))) return list;
    do list.push_back(operand());
    while (in_.accept(','));
    return list;
  }

  std::string location() {
    if (!in_.accept_word("loc")) return {};
    in_.expect('(', "'('");
    std::string l = in_.string("a string");
    in_.expect(')', "')'");
    return l;
  }

  void terminator(Graph& g) {
    const size_t start = in_.position();
    in_.next();
    const std::vector<Value*> values = operands();
    if (in_.accept(':')) {
      const size_t names = in_.position();
      do g.output_names.push_back(in_.string("the name of an output in quotes"));
      while (in_.accept(','));
      if (g.output_names.size() != values.size())
        in_.fail_at(names, values.size(), " outputs, but ", g.output_names.size(), " names");
    }
    const std::string where = location();
    located(start, [&] { g.set_outputs(values); });
    g.terminator()->set_location(where);
  }

  template <class F>
  void located(size_t offset, const F& f) {
    try {
      f();
    } catch (const Error& e) {
      if (in_.failed() || located_) throw;
      rethrow(e, offset);
    }
  }

  void node(Graph& g) {
    std::vector<std::pair<Token, Label>> results;
    if (in_.peek().kind == TokenKind::value) {
      do {
        const Token t = in_.peek();
        results.emplace_back(t, in_.label(TokenKind::value, "a result: %name"));
      } while (in_.accept(','));
      in_.expect('=', "'=' and an op");
    }
    if (in_.at('}')) in_.fail_expected("a node or return");
    const Token name =
        in_.expect(TokenKind::word, results.empty() ? "a node, such as %y = relu %x, or return" : "the name of an op");
    const OpInfo* op = find_op(name.text);
    if (!op) {
      std::vector<std::string_view> names;
      for (const auto& o : all_ops()) names.push_back(o.name());
      in_.fail_unknown(name, cat("no op is called ", name.text), name.text, names);
    }
    const Signature& signature = op->facts->signature;
    const auto count = static_cast<int>(results.size());
    if (count < signature.min_results() || (count > signature.num_results && !signature.variadic_results()))
      in_.fail_at(name.offset, name.text, " has ", signature.min_results(),
                  signature.variadic_results()                      ? " or more"
                  : signature.num_results > signature.min_results() ? cat(" to ", signature.num_results)
                                                                    : "",
                  " result(s), not ", count);

    const std::shared_ptr<void> attrs = op->attrs.make();
    std::vector<bool> given(op->attrs.fields.size());
    payload(*op, attrs.get(), given);
    const std::vector<Value*> values = operands();
    attributes(*op, attrs.get(), given, name);
    std::vector<std::unique_ptr<Graph>> regions;
    const size_t first_declared = declared_.size();
    if (in_.at('(') && !in_.peek().new_line) regions = parse_regions();
    if (op->regions >= 0 && regions.size() != static_cast<size_t>(op->regions))
      in_.fail_at(name.offset, op->name(), " has ", op->regions, " regions, not ", regions.size());
    std::vector<Type> types;
    const size_t types_offset = in_.position();
    if (in_.accept(':')) {
      do types.push_back(text::parse_type(in_));
      while (in_.accept(','));
      if (types.size() != results.size())
        in_.fail_at(types_offset, results.size(), " results, but ", types.size(), " types");
    }
    const std::string where = location();

    Node* made = nullptr;
    located(name.offset,
            [&] { made = g.insert(make_node(*module_, op->id, values, attrs, count, std::move(regions), where)); });
    // Inference of the whole has gone over the regions again.
    for (size_t k = first_declared; k < declared_.size(); ++k) {
      const auto& [v, type] = declared_[k];
      if (!compatible(v->type(), type)) in_.fail_at(name.offset, "in a region, a value is ", v->type(), ", not ", type);
      v->set_type(type);
    }
    for (int i = 0; i < count; ++i) {
      const auto k = static_cast<size_t>(i);
      Value* v = made->result(i);
      if (!types.empty()) {
        if (!compatible(v->type(), types[k]))
          in_.fail_at(types_offset, "%", results[k].first.text, " is ", v->type(), ", not ", types[k]);
        v->set_type(types[k]);
        if (scopes_.size() > 1) declared_.emplace_back(v, types[k]);
      }
      v->set_name(results[k].second.name);
      define(results[k].first, results[k].second, v);
    }
  }

  // What core ops have right after their name.
  void payload(const OpInfo& op, void* attrs, std::vector<bool>& given) {
    const auto tensor = [&](size_t field) {
      Type type;
      const bool typed = in_.peek().kind != TokenKind::label && text::at_literal(in_);
      if (typed) type = text::type_after_literal(in_);
      op.attrs.set(attrs, field, text::parse_tensor(in_, typed ? &type : nullptr, resources_));
      given[field] = true;
    };
    if (op.id == OpId::Constant) {
      tensor(0);
    } else if (op.id == OpId::Parameter) {
      const size_t start = in_.position();
      const Label label = in_.label(TokenKind::label, "@ and the parameter's name");
      op.attrs.set(attrs, 0, label.name);
      given[0] = true;
      const bool own =
          text::at_literal(in_) || (in_.peek().kind == TokenKind::word && dtype_from_name(in_.peek().text));
      if (own && !in_.peek().new_line) {
        tensor(1);
      } else {  // the resource of the same name
        const size_t after = in_.position();
        in_.rewind(start);
        tensor(1);
        in_.rewind(after);
      }
    } else if (op.id == OpId::Call) {
      const Token t = in_.peek();
      const Label label = in_.label(TokenKind::label, "@ and the name of a function");
      if (!module_->find_function(label.name) && !find_custom_op(label.name)) {
        std::vector<std::string_view> names;
        for (const auto& f : module_->functions()) names.push_back(f->name());
        in_.fail_unknown(t, cat("no function is called @", t.text), label.name, names);
      }
      op.attrs.set(attrs, 0, label.name);
      given[0] = true;
    }
  }

  void attributes(const OpInfo& op, void* attrs, std::vector<bool>& given, const Token& node) {
    const auto& fields = op.attrs.fields;
    if (in_.at('{') && !in_.peek().new_line) {
      in_.next();
      do {
        const Token t = in_.expect(TokenKind::word, "the name of an attribute");
        const auto field =
            std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == t.text; });
        if (field == fields.end()) {
          std::vector<std::string_view> names;
          for (const auto& f : fields) names.push_back(f.name);
          in_.fail_unknown(t, cat(op.name(), " has no attribute ", t.text), t.text, names);
        }
        const auto k = static_cast<size_t>(field - fields.begin());
        if (given[k]) in_.fail_at(t.offset, "attribute ", t.text, " is given twice");
        given[k] = true;
        AttrValue value = true;
        if (in_.accept('='))
          value = text::parse_attribute(in_, *field, resources_);
        else if (field->kind != AttrKind::boolean)
          in_.fail_expected(cat("'=' and ", to_string(field->kind)));
        op.attrs.set(attrs, k, value);
      } while (in_.accept(','));
      in_.expect('}', "',' or '}'");
    }
    for (size_t k = 0; k < fields.size(); ++k)
      if (fields[k].required && !given[k]) in_.fail_at(node.offset, op.name(), " needs the attribute ", fields[k].name);
  }

  std::vector<std::unique_ptr<Graph>> parse_regions() {
    std::vector<std::unique_ptr<Graph>> regions;
    if (scopes_.size() > kMaxNesting)
      in_.fail_at(in_.position(), "regions are nested more than ", kMaxNesting, " deep");
    in_.next();
    do {
      std::string name;
      if (in_.peek().kind == TokenKind::label) name = in_.label(TokenKind::label, "the region's name").name;
      regions.push_back(std::make_unique<Graph>(*module_, std::move(name)));
      scopes_.emplace_back();
      graph(*regions.back());
      scopes_.pop_back();
    } while (in_.accept(','));
    in_.expect(')', "',' or ')' after a region");
    return regions;
  }

  Lexer in_;
  std::unique_ptr<Module> module_;
  text::Resources resources_;
  std::vector<Item> functions_;
  Item main_;
  std::vector<std::unordered_map<std::string, Value*>> scopes_;
  std::vector<std::pair<Value*, Type>> declared_;  // of results within regions
  bool located_ = false;
};

}  // namespace

std::unique_ptr<Module> parse_module(std::string_view text, std::string_view filename, const ParseOptions& options) {
  return Parser(text, filename, options).run();
}

}  // namespace tc
