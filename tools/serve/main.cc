// tc-serve: ONNX models over HTTP.
#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <thread>

#include "tc/tools/common/cli.h"
#include "tc/tools/serve/protocol.h"
#include "tc/tools/serve/server.h"

namespace {

using namespace tc;
using namespace tc::serve;

struct Options {
  std::vector<std::string> models;
  ServeOptions serve;
  std::string host = "127.0.0.1", certificate, key;
  int port = 8080, threads = 0, connections = 64;
  uint64_t max_request = uint64_t{64} << 20;
};

constexpr const char* kExamples = R"(
The Open Inference Protocol, version 2, over REST, with binary tensors:
  GET  /v2, /v2/health/live, /v2/health/ready, /v2/models/NAME[/versions/VERSION][/ready]
  POST /v2/models/NAME[/versions/VERSION]/infer
  GET  /metrics                                 in Prometheus' text format

Requests are joined to batches along the first dimension where it is open and has one name in all inputs and outputs,
and a trial at the start shows that rows do not depend on each other. SIGTERM and SIGINT end the server once it has
answered what it has taken; /v2/health/ready says 503 from then on.

Examples:
  tc-serve model.onnx                           as model, version 1
  tc-serve digits=mnist.onnx digits:2=new.onnx --host 0.0.0.0 --port 8000
  tc-serve models/digits                        with models/digits/1/model.onnx, models/digits/2/model.onnx ...
  tc-serve model.onnx --certificate cert.pem --key key.pem
  curl -d '{"inputs": [{"name": "x", "shape": [1,3], "datatype": "FP32", "data": [1,2,3]}]}' \
    http://127.0.0.1:8080/v2/models/model/infer

Exit status: 0 ended by a signal, 1 a model or the port cannot be had, 2 wrong command line.)";

int serve_models(const Options& o) {
  // One thread waits for signals; those that it starts inherit that they are blocked.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  State state;
  state.options = o.serve;
  state.options.compiler.team = make_team(o.threads);
  for (const std::string& model : o.models) state.models.add(model, state.options);
  for (const Model* m : state.models.all()) {
    std::cerr << "tc-serve: " << m->name() << ", version " << m->version();
    if (m->batches())
      std::cerr << ", in batches of up to " << o.serve.max_batch << "\n";
    else
      std::cerr << ", no batches: " << m->why_not() << "\n";
  }

  const bool tls = !o.certificate.empty();
  const std::unique_ptr<httplib::Server> server =
      tls ? std::make_unique<httplib::SSLServer>(o.certificate.c_str(), o.key.c_str())
          : std::make_unique<httplib::Server>();
  if (!server->is_valid())
    fail(ErrorCode::bad_file, "cannot use the certificate ", o.certificate, " and the key ", o.key);
  server->new_task_queue = [&o] { return new httplib::ThreadPool(static_cast<size_t>(o.connections)); };
  server->set_payload_max_length(o.max_request);
  server->set_keep_alive_max_count(1'000'000);
  server->set_keep_alive_timeout(5);
  server->set_read_timeout(10);
  server->set_write_timeout(10);
  server->set_tcp_nodelay(true);
  route(*server, state);
  const int port = o.port ? (server->bind_to_port(o.host, o.port) ? o.port : -1) : server->bind_to_any_port(o.host);
  if (port < 0) fail(ErrorCode::bad_argument, "cannot listen at ", o.host, ":", o.port);

  std::atomic<bool> ended = false;
  state.ready = true;
  std::thread waits([&] {
    int signal = 0;
    sigwait(&ends, &signal);
    state.ready = false;
    // A signal may have come while models were loaded; what does not run yet cannot be stopped.
    while (!server->is_running() && !ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    server->stop();
  });
  std::cout << (tls ? "https://" : "http://") << o.host << ":" << port << std::endl;
  const bool listened = server->listen_after_bind();
  const bool asked = !state.ready;
  ended = true;
  if (!asked) pthread_kill(waits.native_handle(), SIGTERM);  // it ended by itself
  waits.join();
  if (!listened && !asked) fail(ErrorCode::bad_argument, "cannot accept connections at ", o.host, ":", port);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("Serves ONNX models over HTTP.", "tc-serve");
  app.footer(kExamples);
  app.add_option("models", o.models, "PATH, NAME=PATH or NAME:VERSION=PATH of a model or a folder of versions")
      ->required();
  app.add_option("--host", o.host, "address to listen at")->capture_default_str();
  app.add_option("--port", o.port, "0 for any")->check(CLI::Range(0, 65535))->capture_default_str();
  app.add_option("--threads", o.threads, "of all runs together; 0 for one per core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--connections", o.connections, "served at once")->check(CLI::Range(1, 4096))->capture_default_str();
  app.add_option("--instances", o.serve.instances, "runs of a model at once")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--max-batch", o.serve.max_batch, "rows of a run; 1: no batches")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  app.add_option("--batch-delay", o.serve.delay_us, "microseconds that a run waits for more requests")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  app.add_option("--queue", o.serve.queue, "requests of a model that may wait; more get status 503")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--timeout", o.serve.timeout_ms, "milliseconds that a request may take; longer ones get status 504")
      ->check(CLI::Range(1, 3'600'000))
      ->capture_default_str();
  app.add_option("--max-request", o.max_request, "bytes of a request (suffixes kb, mb, gb); larger ones get status 413")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--max-memory", o.serve.compiler.max_memory, "bytes of working memory of a run (suffixes kb, mb, gb)")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--certificate", o.certificate, "PEM file: serves HTTPS")->check(CLI::ExistingFile);
  app.add_option("--key", o.key, "PEM file of its private key")->check(CLI::ExistingFile);
  return run_tool(app, argc, argv, [&] {
    if (o.certificate.empty() != o.key.empty()) throw CLI::ValidationError("--certificate and --key belong together");
    return serve_models(o);
  });
}
