// Samples three posteriors with NUTS and exports the samplers, one ONNX file each.
//
//   bayes [--out FOLDER] [--model NAME] [--chains N] [--warmup N] [--draws N] [--seed N]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "diagnostics.h"
#include "models.h"

namespace {

struct Options {
  std::string out, model;
  int64_t chains = 4, warmup = 1000, draws = 1000, seed = 1;
};

bool parse(Options& o, int argc, char** argv) {
  for (int i = 1; i < argc; i += 2) {
    const std::string word = argv[i];
    if (i + 1 >= argc) return false;
    const std::string value = argv[i + 1];
    char* end = nullptr;
    const long long number = std::strtoll(value.c_str(), &end, 10);
    const bool positive = !value.empty() && !*end && number > 0 && number <= 1000000;
    if (word == "--out") {
      o.out = value;
    } else if (word == "--model") {
      o.model = value;
    } else if (word == "--chains" && positive) {
      o.chains = number;
    } else if (word == "--warmup" && positive) {
      o.warmup = number;
    } else if (word == "--draws" && positive && number >= 4) {
      o.draws = number;
    } else if (word == "--seed" && positive) {
      o.seed = number;
    } else {
      return false;
    }
  }
  return true;
}

void sample(const bayes::Model& model, const tc::Function& sampler, const Options& o) {
  const tc::Compiled run = tc::compile(sampler);
  const auto start = std::chrono::steady_clock::now();
  const size_t count = model.parameters.size();
  std::vector<bayes::Chains> chains(count, bayes::Chains(static_cast<size_t>(o.chains)));
  int64_t leaves = 0, diverging = 0;
  for (int64_t c = 0; c < o.chains; ++c) {
    // jax.random.key(seed) and its fold_in are of such words, too: any two will do.
    const auto y = run({tc::Tensor::of<uint32_t>({2}, {static_cast<uint32_t>(o.seed), static_cast<uint32_t>(c)}),
                        tc::Tensor::of<int64_t>({}, {o.warmup}), tc::Tensor::of<int64_t>({}, {o.draws})});
    const auto rows = y[0].span<double>();
    for (int64_t i = 0; i < o.warmup + o.draws; ++i) {
      const auto row = static_cast<size_t>(i);
      leaves += y[3].span<int64_t>()[row];
      if (i < o.warmup) continue;
      diverging += y[4].span<int64_t>()[row];
      for (size_t p = 0; p < count; ++p) chains[p][static_cast<size_t>(c)].push_back(rows[row * count + p]);
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%s: %s\n%-12s %10s %10s %8s %8s\n", model.name.c_str(), model.about.c_str(), "", "mean", "sd", "R-hat",
              "ESS");
  for (size_t p = 0; p < count; ++p) {
    const bayes::Summary s = bayes::summary(chains[p]);
    std::printf("%-12s %10.4f %10.4f %8.3f %8.0f\n", model.parameters[p].c_str(), s.mean, s.sd, s.rhat, s.ess);
  }
  std::printf("%lld chains of %lld + %lld, %lld gradients, %lld divergences, %.2f s\n\n",
              static_cast<long long>(o.chains), static_cast<long long>(o.warmup), static_cast<long long>(o.draws),
              static_cast<long long>(leaves), static_cast<long long>(diverging), seconds);
}

int run(const Options& o) {
  bool found = false;
  for (const bayes::Model& m : bayes::models()) {
    if (!o.model.empty() && o.model != m.name) continue;
    found = true;
    const tc::Function sampler = bayes::sampler(m);
    if (o.out.empty())
      sample(m, sampler, o);
    else
      tc::export_onnx(sampler, o.out + "/" + m.name + ".onnx", {.target = tc::ort});
  }
  if (found) return 0;
  std::fprintf(stderr, "bayes: no model '%s'; there are", o.model.c_str());
  for (const bayes::Model& m : bayes::models()) std::fprintf(stderr, " %s", m.name.c_str());
  std::fprintf(stderr, "\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(options, argc, argv)) {
    std::fprintf(stderr,
                 "usage: bayes [--out FOLDER] [--model NAME] [--chains N] [--warmup N] [--draws N] [--seed N]\n"
                 "--out writes the samplers as ONNX files; otherwise they run here.\n");
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bayes: %s\n", e.what());
    return 1;
  }
}
