"""Writes the binding of the DSL from the DSL's headers, so that a function, its options and what is said of it stand
in one place.

generate.py OUT_DIR HEADER...   reads the headers, and elementwise.def beside its header; writes OUT_DIR/rows_<header>.cc of
                                each, words.h, rows.cc, and vocabulary.json, from which the stubs are made
"""
import ast
import dataclasses
import json
import keyword
import pathlib
import re
import sys

# Of the C++ API only: Python has literals, operators and modules of its own for them.
LEFT_OUT = {"operator", "shape_tensor"}
# Words that Python keeps for itself, and names that the Array API has for parameters.
RENAMED = {"lambda": "lambd", "from": "start", "type": "dtype", "then": "schedule",
           "full.value": "fill_value", "full_like.value": "fill_value",
           "weibull.shape": "a", "pareto.shape": "a"}
SIMPLE = {
    "Arg": "ArrayLike", "Args": "Sequence[ArrayLike]", "Var": "ArrayLike", "bool": "bool", "double": "float", "int": "int",
    "int64_t": "int", "uint64_t": "int", "std::string": "str", "DType": "DTypeLike", "Extent": "Extent", "ShapeArg": "Shape",
    "Axes": "Axes", "PerAxis": "int | Sequence[int]", "Padding": "str | int | Sequence[int]", "PadWidth": "tuple[int, int]",
    "TensordotAxes": "int | tuple[Sequence[int], Sequence[int]]", "Key": "ArrayLike", "Schedule": "Schedule",
    "LearningRate": "float | Schedule",
}
RESULTS = {"Var": "Array", "std::vector<Var>": "tuple[Array, ...]", "Key": "Array", "std::vector<Key>": "tuple[Array, ...]",
           "Schedule": "Schedule", "Optimizer": "Optimizer", "std::pair<Var, Var>": "tuple[Array, Array]"}


@dataclasses.dataclass
class Parameter:
    type: str
    name: str
    default: str | None = None
    option: str | None = None  # the C++ variable whose member it is


@dataclasses.dataclass
class Function:
    space: str
    name: str
    returns: str
    parameters: list  # of Parameter, in the order of C++, options as one
    doc: str


def key_of(space, name):
    return f"{space}::{name}" if space else name


class Header:
    """The declarations of one header, statement by statement."""

    def __init__(self, path):
        self.name = path.stem
        text = path.read_text()
        self.top = " ".join(l[2:].strip() for l in re.match(r"(//.*\n)*", text)[0].splitlines())
        self.functions, self.structs, self.enums = [], {}, {}
        self.spaces = []
        self.doc, self.doc_ended = "", True
        text = self.with_rows(text, path)
        self.read([l for l in text.splitlines() if not re.match(r"\s*(#|$)", l) or not l.strip()])

    def with_rows(self, text, path):
        """With the rows of a .def file as the declarations that they become."""
        if f'"tc/frontend/dsl/{self.name}.def"' not in text:
            return text
        rows = []
        for line in path.with_suffix(".def").read_text().splitlines():
            row = re.match(r"TC_DSL_(UNARY|BINARY|ACTIVATION)\((.*)\)", line)
            if not row:
                continue
            cells = [c.strip() for c in row[2].split(",")]
            parameters = {"UNARY": "Arg x", "BINARY": "Arg a, Arg b"}.get(row[1]) or f"Arg x, double {cells[2]} = {cells[3]}"
            rows.append(f"Var {cells[0]}({parameters});")
        return re.sub(r'#include "tc/frontend/dsl/[a-z]+\.def"', "\n".join(["", *rows]), text)

    def read(self, lines):
        at = 0
        while at < len(lines):
            line = lines[at].strip()
            if not line:
                self.doc = ""
                at += 1
            elif line.startswith("//"):
                comment = line[2:].strip()
                if not comment.startswith("---"):
                    self.doc = comment if self.doc_ended else f"{self.doc} {comment}"
                self.doc_ended = False
                at += 1
            elif match := re.match(r"namespace ([\w:]*) ?{", line):
                self.spaces += match[1].split("::")
                at += 1
            elif line.startswith("}"):
                self.spaces = self.spaces[: -len(line.removeprefix("}  // namespace").strip().split("::")) or None]
                at += 1
            else:
                at = self.statement(lines, at)

    def statement(self, lines, at):
        depth, text, trailing = 0, [], ""
        while True:
            code, _, comment = lines[at].partition("//")
            text.append(code.strip() + (f" //{comment}" if comment and depth else ""))
            depth += sum(code.count(c) for c in "({") - sum(code.count(c) for c in ")}")
            at += 1
            if depth <= 0 and re.search(r"[;}]\s*$", code) and not (code.rstrip().endswith(")") or at >= len(lines)):
                trailing = comment.strip()
                break
            if at >= len(lines):
                break
        self.doc_ended = True
        while trailing and at < len(lines) and re.match(r"\s{8,}//", lines[at]):
            trailing += " " + lines[at].strip()[2:].strip()
            at += 1
        code = " ".join(text)
        space = "::".join(self.spaces[1:])
        code = re.sub(r"^((\[\[nodiscard\]\] )?)inline ([^{]*\)) {.*}$", r"\1\3;", code)  # an alias
        if code.startswith(("template", "inline", "class", "#")) or "dsl" in self.spaces:
            pass
        elif match := re.match(r"enum class (\w+) ?:? ?\w* ?{(.*)}", code):
            self.enums[key_of(space, match[1])] = (space, [e.strip() for e in re.sub(r"//.*?(?=$|\s\w+,)", "", match[2]).split(",") if e.strip()])
        elif match := re.match(r"struct (\[\[nodiscard\]\] )?(\w+) {(.*)};", code):
            self.structs[key_of(space, match[2])] = (space, fields_of(text[1:-1]), bool(match[1]))
        elif match := re.match(r"(?:\[\[nodiscard\]\] )?([\w:<>]+(?:, \w+>)?) (\w+)\((.*)\);$", re.sub(r" //.*$", "", code).strip()):
            if match[2] not in LEFT_OUT:
                self.functions.append(
                    Function(space, match[2], match[1], parameters_of(match[3]), self.doc_of(match[2], trailing)))
        return at


    def doc_of(self, name, trailing):
        doc = trailing or self.doc
        if not doc:
            return f"{name.replace('_', ' ').capitalize()}. {self.top}"
        return doc[0].upper() + doc[1:] + ("" if doc.endswith(".") else ".")


def split(text, separator=","):
    """At separators outside of brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "(<{[") - (c in ")>}]")
        if c == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


def parameters_of(text):
    result = []
    for part in split(text):
        declared, _, default = part.partition(" = ")
        match = re.match(r"(?:const )?([\w:<>,]+(?:<.*>)?)&? (\w+)$", declared)
        result.append(Parameter(match[1], match[2], default or None) if match else Parameter(declared, ""))
    return result


def fields_of(lines):
    """The members of a plain struct; None where it has others."""
    result = []
    for statement in split(" ".join(re.sub(r"//.*", "", l) for l in lines), ";"):
        first, *more = split(statement)
        declared, _, default = first.partition(" = ")
        match = re.match(r"([\w:<>]+) (\w+)$", declared)
        if not match:
            return None
        result.append(Parameter(match[1], match[2], default or None))
        for other in more:
            name, _, default = other.partition(" = ")
            result.append(Parameter(match[1], name, default or None))
    return result


def python_name(function, parameter):
    own = None if parameter.option else RENAMED.get(f"{function}.{parameter.name}")
    return own or RENAMED.get(parameter.name, parameter.name)


class Writer:
    def __init__(self, headers):
        self.headers = headers
        self.structs = {n: s for h in headers for n, s in h.structs.items() if s[1] is not None}
        self.enums = {n: e for h in headers for n, e in h.enums.items()}
        self.refused = []
        for space, fields, _ in self.structs.values():
            for f in fields:
                f.type = self.canonical(f.type, space)
        for h in headers:
            for f in h.functions:
                f.returns = self.canonical(f.returns, f.space)
                for p in f.parameters:
                    p.type = self.canonical(p.type, f.space)

    def canonical(self, type, space):
        """The type with the namespaces of what the headers declare."""

        def key(match):
            for k in (key_of(space, match[0]), match[0]):
                if match[0] not in SIMPLE and (k in self.structs or k in self.enums):
                    return k
            return match[0]

        return re.sub(r"(?<![\w:])\w+(?![\w:])", key, type)

    def known(self, type):
        if match := re.fullmatch(r"std::(?:vector|optional)<(.*)>", type):
            return self.known(match[1])
        return type in SIMPLE or type in self.enums or self.is_tuple(type)

    def is_tuple(self, type):
        """A result of several arrays by name."""
        return type in self.structs and self.structs[type][2] and all(f.type == "Var" for f in self.structs[type][1])

    def flat(self, function):
        """The parameters of Python: options one by one. None where a type is none of ours."""
        result = []
        for p in function.parameters:
            if p.type in ("Location",):
                continue
            if p.type in self.structs and not self.is_tuple(p.type) and p.type not in SIMPLE:
                for f in self.structs[p.type][1]:
                    if not self.known(f.type):
                        return None
                    result.append(Parameter(f.type, f.name, f.default or "{}", p.name))
            elif self.known(p.type):
                result.append(p)
            else:
                return None
        return result

    def python_default(self, p):
        d = p.default
        if d in ("true", "false"):
            return d.capitalize()
        if d is None or d == "{}" or "(" in d or d.startswith("std::"):
            return "None" if not (d == "{}" and p.type == "bool") else "False"
        if "::" in d:
            return repr(d.split("::")[-1])
        if d in ("f16", "f32", "f64", "i32", "i64", "u32", "u64", "bool_"):
            return repr(d)
        try:
            ast.literal_eval(d)
        except (SyntaxError, ValueError):
            return "None"  # a constant of C++ by its name
        return d

    def signature(self, function, parameters):
        parts = []
        for p in parameters:
            name = python_name(function, p)
            parts.append(name if p.default is None else f"{name}={self.python_default(p)}")
        return ", ".join(parts)

    def python_type(self, type):
        if match := re.fullmatch(r"std::vector<(.*)>", type):
            return f"Sequence[{self.python_type(match[1])}]"
        if match := re.fullmatch(r"std::optional<(.*)>", type):
            return f"{self.python_type(match[1])} | None"
        if type in self.enums:
            return "Literal[" + ", ".join(repr(e) for e in self.enums[type][1]) + "]"
        return SIMPLE.get(type) or "tuple[Array, ...]"

    def qualified(self, type):
        """C++'s name of a type, from within namespace tc::python."""
        if match := re.fullmatch(r"std::(vector|optional)<(.*)>", type):
            return f"std::{match[1]}<{self.qualified(match[2])}>"
        if type == "Key":
            return "tc::random::Key"
        return type if type in SIMPLE else f"tc::{type}"

    def body(self, function, identifier):
        lines, call, i = [], [], 0
        for n, p in enumerate(function.parameters):
            if p.type == "Location":
                call.append("c.at()")
                continue
            if p.type in self.structs and not self.is_tuple(p.type) and p.type not in SIMPLE:
                lines.append(f"  {self.qualified(p.type)} p{n};")
                for f in self.structs[p.type][1]:
                    lines.append(f"  p{n}.{f.name} = c.arg({i});" if f.type == "Arg" and f.default == "{}" else
                                 f"  c.option({i}, p{n}.{f.name});")
                    i += 1
            elif p.default is not None and p.type != "Arg":
                lines.append(f"  {self.qualified(p.type)} p{n} = {p.default};")
                lines.append(f"  c.option({i}, p{n});")
                i += 1
            else:
                get = f"c.arg({i})" if p.type == "Arg" else f"c.get<{self.qualified(p.type)}>({i})"
                lines.append(f"  const auto p{n} = {get};")
                i += 1
            call.append(f"p{n}")
        name = "::".join(["tc", *([function.space] if function.space else []), function.name])
        called = f"{name}({', '.join(call)})"
        if function.returns == "void":
            lines += ["  {", "    const Unlocked u;", f"    {called};", "  }", "  Py_RETURN_NONE;"]
        elif self.is_tuple(function.returns):
            fields = self.structs[function.returns][1]
            short = function.returns.split("::")[-1]
            names = ", ".join(f'"{f.name}"' for f in fields)
            values = ", ".join(f"r.{f.name}" for f in fields)
            lines += [f"  auto r = (Unlocked(), {called});", f"  static constexpr const char* kFields[] = {{{names}}};",
                      f'  return result_tuple("{short}", kFields, {{{values}}});']
        elif function.returns.startswith("std::pair"):
            lines += [f"  auto r = (Unlocked(), {called});", "  return result({r.first, r.second});"]
        else:
            lines += [f"  auto r = (Unlocked(), {called});", "  return result(std::move(r));"]
        return [f"PyObject* {identifier}(const Call& c) {{", *lines, "}"]

    def from_words(self, header):
        """Conversions of the enumerations and tuples that the header declares."""
        lines = []
        for name, (space, words) in header.enums.items():
            type = f"tc::{name}"
            listed = ", ".join(f'"{w}"' for w in words)
            lines += ["template <>", f"struct From<{type}> {{", f"  static {type} get(PyObject* value, const What& what) {{",
                      f"    static constexpr const char* kWords[] = {{{listed}}};",
                      f"    return static_cast<{type}>(word_of(value, what, kWords));", "  }", "};"]
        for name, (space, fields, result) in header.structs.items():
            if fields and result and all(f.type == "Var" for f in fields):
                type = f"tc::{name}"
                lines += ["template <>", f"struct From<{type}> {{", f"  static {type} get(PyObject* value, const What& what) {{",
                          f"    const auto v = vars_of(value, what, {len(fields)});",
                          f"    return {{{', '.join(f'v[{k}]' for k in range(len(fields)))}}};", "  }", "};"]
        return lines

    def of(self, header):
        """The source for a header, and its functions for the stubs."""
        groups = {}
        for f in header.functions:
            flat = self.flat(f)
            good = f.returns in RESULTS or f.returns == "void" or self.is_tuple(f.returns)
            if flat is None or not good:
                self.refused.append(f"{f.space}{'.' if f.space else ''}{f.name}")
                continue
            names = [python_name(f.name, p) for p in flat]
            if len(set(names)) < len(names):  # see RENAMED
                self.refused.append(f"{f.space}{'.' if f.space else ''}{f.name}")
                continue
            groups.setdefault((f.space, f.name), []).append((f, flat))
        out, rows, listed = [], [], []
        for (space, cxx_name), overloads in groups.items():
            name = cxx_name if keyword.iskeyword(cxx_name.rstrip("_")) else cxx_name.rstrip("_")  # delete_
            stem = f"{space}_{name}" if space else name
            tables = []
            for n, (f, flat) in enumerate(overloads):
                identifier = f"call_{stem}_{n}"
                out += self.body(f, identifier)
                names = ", ".join(f'"{python_name(name, p)}"' for p in flat)
                if flat:
                    out.append(f"constexpr const char* k_{stem}_{n}[] = {{{names}}};")
                kinds = "".join("i" if p.type == "int64_t" and p.default is None else "a" for p in flat)
                required = sum(p.default is None for p in flat)
                many = next((i for i, p in enumerate(flat) if p.type == "Args"), -1)
                parameters = f"k_{stem}_{n}" if flat else "std::span<const char* const>()"
                tables.append(f'{{{parameters}, {required}, {many}, "{kinds}", &{identifier}}}')
            out.append(f"constexpr Overload o_{stem}[] = {{{', '.join(tables)}}};")
            flat = max((flat for _, flat in overloads), key=len)
            docs = list(dict.fromkeys(f.doc for f, _ in overloads))
            doc = "\n\n".join(docs)
            if len(overloads) > 1:
                forms = "\n".join(f"    {name}({self.signature(name, flat)})" for _, flat in overloads)
                text = f"{doc}\n\nForms:\n{forms}"
                first = ""
            else:
                text, first = doc, f"{name}({self.signature(name, flat)})\n--\n\n"
            rows.append(f'    {{"{space}", "{name}", {json.dumps(first + text)}, o_{stem}}},')
            for f, flat in overloads:
                returns = RESULTS.get(f.returns) or ("None" if f.returns == "void" else f.returns.split("::")[-1])
                listed.append({"header": header.name, "space": space, "name": name, "doc": text, "returns": returns,
                               "parameters": [[python_name(name, p), self.python_type(p.type),
                                               None if p.default is None else self.python_default(p)] for p in flat]})
        return out, rows, listed


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main(out, paths):
    headers = [Header(p) for p in paths]
    writer = Writer(headers)
    out.mkdir(parents=True, exist_ok=True)
    vocabulary = {"functions": [], "tuples": {}}
    words = ["// Written by generate.py.", "#pragma once", '#include "tc/doors/python/call.h"',
             *(f'#include "tc/frontend/dsl/{h.name}.h"' for h in headers), "namespace tc::python {"]
    # Overloads in several headers are one function of Python, in the place of the first.
    homes = {}
    for h in headers:
        for f in list(h.functions):
            home = homes.setdefault((f.space, f.name), h)
            if home is not h:
                home.functions.append(f)
                h.functions.remove(f)
    for h in headers:
        words += writer.from_words(h)
    write(out / "words.h", "\n".join([*words, "}", ""]))
    names = []
    for h in headers:
        code, rows, listed = writer.of(h)
        vocabulary["functions"] += listed
        text = ["// Written by generate.py.", '#include "words.h"']
        if rows:
            names.append(h.name)
            text += ["namespace tc::python {", "namespace {", *code, f"constexpr Row k_rows_of_{h.name}[] = {{", *rows, "};", "}",
                     f"std::span<const Row> rows_of_{h.name}() {{ return k_rows_of_{h.name}; }}", "}"]
        write(out / f"rows_{h.name}.cc", "\n".join([*text, ""]))
    for name, (_, fields, result) in writer.structs.items():
        if result:
            vocabulary["tuples"][name.split("::")[-1]] = [f.name for f in fields]
    text = ["// Written by generate.py.", '#include "tc/doors/python/call.h"', "namespace tc::python {",
            *(f"std::span<const Row> rows_of_{n}();" for n in names),
            "std::vector<std::span<const Row>> all_rows() {",
            f"  return {{{', '.join(f'rows_of_{n}()' for n in names)}}};", "}", "}", ""]
    write(out / "rows.cc", "\n".join(text))
    vocabulary["left_out"] = sorted(set(writer.refused))
    write(out / "vocabulary.json", json.dumps(vocabulary, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), [pathlib.Path(p) for p in sys.argv[2:]]))
