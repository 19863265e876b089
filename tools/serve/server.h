// The models of a server, and its HTTP routes.
#pragma once

#include <httplib.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tc/tools/serve/model.h"

namespace tc::serve {

// NAME -> version -> model. Versions that are numbers are ordered as such; the last one is what a request without a
// version gets.
class Models {
 public:
  // `argument`: PATH, NAME=PATH or NAME:VERSION=PATH. PATH is a model, or a folder that has model.onnx or folders
  // VERSION/model.onnx. Error bad_argument for what is there twice, bad_file.
  void add(const std::string& argument, const ServeOptions& options);
  // Refusal 404 when there is none; an empty version is the last one.
  Model& find(const std::string& name, const std::string& version) const;
  std::vector<std::string> versions(const std::string& name) const;
  std::vector<const Model*> all() const;

 private:
  struct Before {
    bool operator()(const std::string& a, const std::string& b) const;
  };
  void add(const std::string& name, const std::string& version, const std::string& path, const ServeOptions& options);
  std::map<std::string, std::map<std::string, std::unique_ptr<Model>, Before>> models_;
};

struct State {
  Models models;
  ServeOptions options;
  std::atomic<bool> ready = false;
};

// Makes the routes; `state` outlives the server.
void route(httplib::Server& server, State& state);

}  // namespace tc::serve
