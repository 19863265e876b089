// Times of every algorithm that can compute a program of one operator.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tc::tune {

struct Algorithm {
  std::string name;
  double predicted_us = 0;  // 0: chosen by a rule, not by cost
  double us = 0;            // of a whole run, reorders included
  bool chosen = false;      // by default
};

struct Measured {
  std::string kind, line;  // "conv"; as in bench/zoo/operators.txt
  std::vector<Algorithm> algorithms;

  // Time of the chosen one / time of the fastest.
  double regret() const;
  const Algorithm& fastest() const;
  const Algorithm& chosen() const;
};

struct Effort {
  int threads = 1;
  int rounds = 5;       // in each of which every algorithm has its turn
  double turn_ms = 20;  // of repeated runs
};

// Nothing where one algorithm alone can compute the line.
std::optional<Measured> measure(const std::string& kind, const std::string& line, const Effort& effort);

}  // namespace tc::tune
