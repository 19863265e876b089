// What doors/wasm/runtime adds to the C++ library: tests/wasm/runtime.mjs calls each and wants 1.
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#define TC_CASE(name) extern "C" __attribute__((export_name(#name))) int name()

namespace {

struct First {
  virtual ~First() = default;
  int first = 1;
};
struct Second {
  virtual ~Second() = default;
  int second = 2;
};
struct Both : First, Second {};

int alive = 0;
// Throws and catches while another exception is on its way.
struct Busy {
  Busy() { ++alive; }
  ~Busy() {
    try {
      throw alive;
    } catch (int n) {
      alive = n - 1;
    }
  }
};
int deep(int n) {
  const Busy busy;
  if (n == 0) throw Both();
  return deep(n - 1) + 1;
}

template <class Real>
bool reads(const char* text, Real expected, size_t length, std::errc error = {}) {
  Real value = -1;
  const auto [end, found] = std::from_chars(text, text + std::strlen(text), value);
  return found == error && end == text + length && value == expected;
}

}  // namespace

TC_CASE(catches_by_a_second_base) {
  try {
    deep(5);
  } catch (const Second& s) {
    return s.second == 2 && alive == 0 && std::uncaught_exceptions() == 0;
  }
  return 0;
}

TC_CASE(catches_the_librarys) {
  try {
    throw std::runtime_error("why");
  } catch (const std::exception& e) {
    return std::string(e.what()) == "why";
  }
  return 0;
}

TC_CASE(throws_again) {
  try {
    try {
      throw std::out_of_range("why");
    } catch (const std::logic_error&) {
      throw;
    }
  } catch (const std::out_of_range& e) {
    return std::string(e.what()) == "why";
  }
  return 0;
}

TC_CASE(passes_by_what_does_not_match) {
  try {
    try {
      throw 1;
    } catch (const std::exception&) {
      return 0;
    } catch (const char*) {
      return 0;
    }
  } catch (...) {
    return 1;
  }
  return 0;
}

TC_CASE(catches_a_copy) {
  try {
    throw std::string("why");
  } catch (std::string s) {
    return s == "why";
  }
  return 0;
}

TC_CASE(containers_throw) {
  int thrown = 0;
  try {
    static_cast<void>(std::vector<int>().at(3));
  } catch (const std::out_of_range&) {
    ++thrown;
  }
  try {
    static_cast<void>(std::map<int, int>().at(1));
  } catch (const std::out_of_range&) {
    ++thrown;
  }
  return thrown == 2;
}

TC_CASE(leaves_nothing_behind) {
  const auto before = __builtin_wasm_memory_size(0);
  for (int i = 0; i < 100000; ++i) {
    try {
      throw std::string(1000, 'x');
    } catch (const std::string& s) {
      if (s.size() != 1000) return 0;
    }
  }
  return __builtin_wasm_memory_size(0) <= before + 16;  // of 100 MB that were thrown
}

TC_CASE(locks) {
  std::mutex mutex;
  const std::lock_guard lock(mutex);
  return 1;
}

TC_CASE(reads_fractions) {
  return reads("-1.5e3x", -1500.0, 6) && reads(".5", 0.5F, 2) && reads("0x10", 0.0, 1) && reads("1e-3", 1e-3, 4) &&
         reads("+1", -1.0, 0, std::errc::invalid_argument) && reads(" 1", -1.0, 0, std::errc::invalid_argument) &&
         reads("", -1.0, 0, std::errc::invalid_argument) && reads("1e999", -1.0, 5, std::errc::result_out_of_range) &&
         reads("1e-999", -1.0, 6, std::errc::result_out_of_range) && reads("0e5", 0.0, 3);
}

// A number as to_chars spells it, with arguments of its own.
template <class T, class... How>
bool spells(const char* text, T number, How... how) {
  char to[64];
  const auto [end, error] = std::to_chars(to, to + sizeof(to), number, how...);
  return error == std::errc() && std::string(to, end) == text;
}

TC_CASE(spells_digits_by_their_count) {
  using enum std::chars_format;
  char two[2];
  return spells("0.5", 0.5) && spells("1e+22", 1e22) && spells("10000000000000000000000", 1e22, fixed) &&
         spells("-340282346638528859811704183484516925440", -3.4028234663852886e38f, fixed) &&
         spells("123456792", 123456789.0f, fixed) && spells("1.234568e-05", 1.2345678e-5, scientific, 6) &&
         spells("0.3333333333333333148", 1.0 / 3, fixed, 19) && spells("0.1250", 0.125, fixed, 4) &&
         spells("100000007", 100000007, 10) && spells("16777216", 16777216.0f) &&
         std::to_chars(two, two + 2, 123.0, fixed, 1).ec == std::errc::value_too_large;
}

TC_CASE(runs_out_of_memory) {
  try {
    std::vector<std::unique_ptr<char[]>> blocks;
    for (int i = 0; i < 10; ++i) blocks.push_back(std::make_unique_for_overwrite<char[]>(1U << 30));
  } catch (const std::bad_alloc&) {
    return 1;
  }
  return 0;
}
