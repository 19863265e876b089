// What the headers and the rows say of each function, for docs/dsl.md.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tc::vocabulary {

struct Declaration {
  std::string arguments;  // "x, w, b = {}, ConvOptions options = {}"
  std::string operands;   // "x, w" where nothing else has to be given, else empty
  std::string remark;     // what stands behind the declaration
  std::string header;     // "nn.h"
};

// The functions of the DSL's headers, by name ("conv", "linalg.qr"). Of overloads the first speaks for all.
std::map<std::string, Declaration> declarations();

struct Option {
  std::string type, name, preset, remark;
};

// The fields of the structs of options, by the struct's name.
std::map<std::string, std::vector<Option>> options();

// How the rows call each function: "conv(x, w, {.strides = {2}})". Only rows whose call is one expression have one.
std::map<std::string, std::string> examples();

}  // namespace tc::vocabulary
