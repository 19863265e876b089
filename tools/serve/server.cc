#include "tc/tools/serve/server.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "tc/tools/common/installed.h"
#include "tc/tools/serve/protocol.h"

namespace tc::serve {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJson = "application/json";
constexpr const char* kJsonSize = "Inference-Header-Content-Length";

bool is_number(const std::string& s) {
  return !s.empty() && s.size() < 10 && std::ranges::all_of(s, [](char c) { return c >= '0' && c <= '9'; });
}

void answer_error(httplib::Response& response, int status, const std::string& message) {
  response.status = status;
  response.set_content(format_error(message), kJson);
}

// Runs `body`; what it throws becomes an answer.
template <class Body>
void guarded(httplib::Response& response, Body&& body) {
  try {
    body();
  } catch (const Refusal& r) {
    answer_error(response, r.status, r.what());
  } catch (const Error& e) {
    answer_error(response, 400, e.what());
  } catch (const std::bad_alloc&) {
    answer_error(response, 413, "the request needs more memory than there is");
  } catch (const std::exception& e) {
    answer_error(response, 500, e.what());
  }
}

void infer(const httplib::Request& http, httplib::Response& response, const State& state, Model& model) {
  const auto begin = Clock::now();
  ++model.metrics().in_flight;
  guarded(response, [&] {
    std::optional<size_t> json_size;
    if (http.has_header(kJsonSize)) {
      const std::string text = http.get_header_value(kJsonSize);
      size_t size = 0;
      const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), size);
      if (error != std::errc() || stop != text.data() + text.size())
        refuse(400, kJsonSize, " is no number: ", text.substr(0, 40));
      json_size = size;
    }
    Request request = parse_request(http.body, json_size, model.inputs(), model.outputs());
    auto within = std::chrono::microseconds(state.options.timeout_ms * 1000);
    if (request.timeout_us) within = std::min(within, std::chrono::microseconds(*request.timeout_us));
    const auto results = model.run(std::move(request.inputs), begin + within);
    Answer answer = format_answer(request, results, model.outputs(), model.name(), model.version());
    if (answer.json_size) response.set_header(kJsonSize, std::to_string(*answer.json_size));
    response.set_content(std::move(answer.body), answer.json_size ? "application/octet-stream" : kJson);
    response.status = 200;
  });
  --model.metrics().in_flight;
  if (response.status == 503) response.set_header("Retry-After", "1");
  model.metrics().answered(response.status, std::chrono::duration<double>(Clock::now() - begin).count());
}

std::string metrics_of(const State& state) {
  std::map<std::string, const Metrics*> by_labels;
  const auto label = [](const std::string& text) {
    std::string r;
    for (const char c : text) {
      if (c == '"' || c == '\\') r += '\\';
      r += c == '\n' ? ' ' : c;
    }
    return r;
  };
  for (const Model* m : state.models.all())
    by_labels[cat("model=\"", label(m->name()), "\",version=\"", label(m->version()), "\"")] = &m->metrics();
  std::string out;
  append(out, by_labels);
  append_process(out);
  return out;
}

// What stands behind /v2/models/: NAME, then versions/VERSION, then the verb.
struct Place {
  std::string name, version, verb;
};
std::optional<Place> place_of(std::string_view path) {
  constexpr std::string_view kModels = "/v2/models/";
  if (!path.starts_with(kModels)) return std::nullopt;
  path.remove_prefix(kModels.size());
  std::vector<std::string> parts;
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    parts.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  Place place{parts[0], {}, {}};
  size_t i = 1;
  if (parts.size() > 2 && parts[1] == "versions") place.version = parts[2], i = 3;
  if (i < parts.size()) place.verb = parts[i++];
  if (i != parts.size() || place.name.empty()) return std::nullopt;
  return place;
}

void get(const httplib::Request& http, httplib::Response& response, const State& state) {
  guarded(response, [&] {
    response.status = 200;
    if (http.path == "/metrics") return response.set_content(metrics_of(state), "text/plain; version=0.0.4");
    if (http.path == "/v2/health/live") return response.set_content("", kJson);
    if (http.path == "/v2/health/ready") {
      if (!state.ready) refuse(503, "the server is not ready");
      return response.set_content("", kJson);
    }
    if (http.path == "/v2" || http.path == "/v2/")
      return response.set_content(
          cat(R"({"name":"tc-serve","version":")", version(), R"(","extensions":["binary_tensor_data"]})"), kJson);
    const auto place = place_of(http.path);
    if (!place || (!place->verb.empty() && place->verb != "ready")) refuse(404, "there is nothing at this path");
    const Model& model = state.models.find(place->name, place->version);
    if (place->verb == "ready") return response.set_content("", kJson);
    response.set_content(
        format_metadata(model.name(), state.models.versions(model.name()), model.inputs(), model.outputs()), kJson);
  });
}

}  // namespace

bool Models::Before::operator()(const std::string& a, const std::string& b) const {
  const bool x = is_number(a), y = is_number(b);
  return x && y ? std::stoi(a) < std::stoi(b) : x != y ? y : a < b;
}

void Models::add(const std::string& name, const std::string& version, const std::string& path,
                 const ServeOptions& options) {
  auto& versions = models_[name];
  if (versions.count(version)) fail(ErrorCode::bad_argument, "model ", name, " has two versions ", version);
  versions.emplace(version, std::make_unique<Model>(name, version, path, options));
}

void Models::add(const std::string& argument, const ServeOptions& options) {
  const size_t equals = argument.find('=');
  fs::path path = equals == argument.npos ? argument : argument.substr(equals + 1);
  std::string name = equals == argument.npos ? "" : argument.substr(0, equals), version;
  if (const size_t colon = name.find(':'); colon != name.npos) {
    version = name.substr(colon + 1);
    name.resize(colon);
  }
  if (path.has_parent_path() && path.filename().empty()) path = path.parent_path();  // a / at the end
  if (name.empty()) name = path.stem().string();
  if (name.find('/') != name.npos || name.empty())
    fail(ErrorCode::bad_argument, "'", name, "' cannot be the name of a model");
  if (!fs::is_directory(path)) return add(name, version.empty() ? "1" : version, path.string(), options);
  if (fs::exists(path / "model.onnx"))
    return add(name, version.empty() ? "1" : version, (path / "model.onnx").string(), options);
  bool found = false;
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string folder = entry.path().filename().string();
    if (!fs::exists(entry.path() / "model.onnx") || (!version.empty() && folder != version)) continue;
    add(name, folder, (entry.path() / "model.onnx").string(), options);
    found = true;
  }
  if (!found) fail(ErrorCode::bad_file, path.string(), " has neither model.onnx nor VERSION/model.onnx");
}

Model& Models::find(const std::string& name, const std::string& version) const {
  const auto it = models_.find(name);
  if (it == models_.end()) refuse(404, "there is no model '", name.substr(0, 80), "'");
  if (version.empty()) return *it->second.rbegin()->second;
  const auto at = it->second.find(version);
  if (at == it->second.end()) refuse(404, "model '", name, "' has no version '", version.substr(0, 80), "'");
  return *at->second;
}

std::vector<std::string> Models::versions(const std::string& name) const {
  std::vector<std::string> list;
  for (const auto& [version, model] : models_.at(name)) list.push_back(version);
  return list;
}

std::vector<const Model*> Models::all() const {
  std::vector<const Model*> list;
  for (const auto& [name, versions] : models_)
    for (const auto& [version, model] : versions) list.push_back(model.get());
  return list;
}

void route(httplib::Server& server, State& state) {
  // Patterns are std::regex, which takes stack by the length of what it matches: these match nothing long.
  server.set_pre_routing_handler([&state](const httplib::Request& http, httplib::Response& response) {
    if (http.method == "GET") {
      get(http, response, state);
      return httplib::Server::HandlerResponse::Handled;
    }
    if (http.method == "POST") {
      const auto place = place_of(http.path);
      if (place && place->verb == "infer") {
        try {
          state.models.find(place->name, place->version);
          return httplib::Server::HandlerResponse::Unhandled;  // whose body is read next
        } catch (const Refusal& r) {
          answer_error(response, r.status, r.what());
          response.set_header("Connection", "close");  // the body stays unread
          return httplib::Server::HandlerResponse::Handled;
        }
      }
    }
    answer_error(response, 404, "there is nothing at this path for this method");
    response.set_header("Connection", "close");
    return httplib::Server::HandlerResponse::Handled;
  });
  server.Post(".*", [&state](const httplib::Request& http, httplib::Response& response) {
    const Place place = place_of(http.path).value_or(Place());
    guarded(response, [&] { infer(http, response, state, state.models.find(place.name, place.version)); });
  });
  server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (!response.body.empty()) return;
    const int status = response.status;
    answer_error(response, status,
                 status == 413 ? "the request is larger than the server takes" : "the request cannot be read as HTTP");
  });
  server.set_default_headers({{"Server", "tc-serve/" + version()}});
}

}  // namespace tc::serve
