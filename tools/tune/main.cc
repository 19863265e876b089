// tc-tune: what the choice among algorithms costs on this machine, over the convolutions and products of
// bench/zoo/operators.txt.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "tc/backend/cpu/bind/algorithms.h"
#include "tc/bench/zoo/operators.h"
#include "tc/ir/diag.h"
#include "tc/kernels/cpu.h"
#include "tc/tools/common/cli.h"
#include "tc/tools/tune/measure.h"

namespace {

using namespace tc;
using namespace tc::tune;

struct Options {
  std::string csv;
  std::vector<std::string> lines;
  Effort effort;
  bool quick = false;
};

// What operators.txt calls the nodes that a kind of kernels computes.
struct KindOfLines {
  const char *kind, *op;
};
constexpr KindOfLines kKinds[] = {
    {"conv", "Conv"}, {"conv", "ConvTranspose"}, {"matmul", "MatMul"}, {"matmul", "Gemm"}};

std::string kind_of(const std::string& line) {
  const std::string op = line.substr(0, line.find(' '));
  for (const auto& [kind, name] : kKinds)
    if (op == name) return kind;
  fail(ErrorCode::bad_argument, "'", op, "' is no convolution or product: Conv, ConvTranspose, MatMul or Gemm");
}

std::vector<std::string> all_lines() {
  std::vector<std::string> lines;
  for (const auto& [kind, op] : kKinds)
    for (std::string& line : zoo::operator_lines(op)) lines.push_back(std::move(line));
  return lines;
}

void write_csv(const std::string& path, const std::vector<Measured>& shapes, const Effort& effort) {
  std::ofstream out(path);
  out << "machine,threads,kind,line,algorithm,chosen,predicted_us,us\n";
  char numbers[64];
  for (const Measured& s : shapes)
    for (const Algorithm& a : s.algorithms) {
      std::snprintf(numbers, sizeof numbers, "%.3f,%.3f", a.predicted_us, a.us);
      out << kernels::cpu_info().model << "," << effort.threads << "," << s.kind << ",\"" << s.line << "\"," << a.name
          << "," << (a.chosen ? 1 : 0) << "," << numbers << "\n";
    }
  if (!out.flush()) fail(ErrorCode::bad_file, "cannot write ", path);
}

void print_shape(const Measured& s) {
  std::printf("%6.3f  %-14s %9.1f us", s.regret(), s.chosen().name.c_str(), s.chosen().us);
  if (&s.fastest() != &s.chosen()) std::printf("  (%s %.1f us)", s.fastest().name.c_str(), s.fastest().us);
  std::printf("  %s\n", s.line.c_str());
}

// Mean and worst regret of a kind.
void print_summary(const std::vector<Measured>& shapes, const std::string& kind) {
  double sum = 0;
  const Measured* worst = nullptr;
  int count = 0;
  for (const Measured& s : shapes) {
    if (s.kind != kind) continue;
    sum += s.regret(), ++count;
    if (!worst || s.regret() > worst->regret()) worst = &s;
  }
  if (count > 0)
    std::printf("%s: regret of %d shapes: mean %.3f, worst %.3f (%s)\n", kind.c_str(), count, sum / count,
                worst->regret(), worst->line.c_str());
}

int run(const Options& o) {
  const Effort effort = o.quick ? Effort{o.effort.threads, 3, 4} : o.effort;
  std::printf("regret: time of the chosen algorithm / time of the fastest one\n");
  std::vector<Measured> shapes;
  for (const std::string& line : o.lines.empty() ? all_lines() : o.lines) {
    if (auto shape = measure(kind_of(line), line, effort)) {
      print_shape(*shape);
      std::fflush(stdout);
      shapes.push_back(std::move(*shape));
    }
  }
  for (const std::string& kind : cpu::algorithm_kinds()) print_summary(shapes, kind);
  if (!o.csv.empty()) write_csv(o.csv, shapes, effort);
  return 0;
}

constexpr const char* kExamples = R"(
Examples:
  tc-tune --csv tune.csv                                       every convolution and product of operators.txt
  tc-tune 'Conv 1x64x56x56xf32 =64x64x3x3xf32 ; pads=1,1,1,1'  one of them)";

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("Measures each algorithm that can compute a shape, and what the choice among them costs.", "tc-tune");
  app.footer(kExamples);
  app.add_option("lines", o.lines, "operators as in bench/zoo/operators.txt (default: its convolutions and products)");
  app.add_option("--csv", o.csv, "write all times to this file");
  app.add_option("--threads", o.effort.threads, "threads of a run")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--rounds", o.effort.rounds, "turns of each algorithm")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--turn", o.effort.turn_ms, "milliseconds of a turn")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--quick", o.quick, "3 turns of 4 ms: less than two minutes");
  return run_tool(app, argc, argv, [&] { return run(o); });
}
