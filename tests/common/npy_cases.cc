#include "npy_cases.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tc::npy_cases {
namespace {

const std::vector<Extents> kShapes = {{}, {1}, {0}, {7}, {2, 3, 5}, {4, 0, 2}};

template <class T, class F>
void add(NamedTensors& out, const std::string& type, F&& element) {
  for (size_t k = 0; k < kShapes.size(); ++k) {
    Tensor t(dtype_of<T>, kShapes[k]);
    auto values = t.mutable_span<T>();
    for (size_t i = 0; i < values.size(); ++i) values[i] = element(static_cast<int>(i));
    out.emplace_back(type + "_" + std::to_string(k), std::move(t));
  }
}

template <class T>
void add_real(NamedTensors& out, const std::string& type) {
  add<T>(out, type, [](int i) { return static_cast<T>(i * 0.75 - 2); });
}
template <class T>
void add_int(NamedTensors& out, const std::string& type) {
  add<T>(out, type, [](int i) { return static_cast<T>(i * 3 - (std::is_signed_v<T> ? 4 : 0)); });
}
template <class T>
void add_complex(NamedTensors& out, const std::string& type) {
  using Part = typename T::value_type;
  add<T>(out, type, [](int i) { return T(static_cast<Part>(i - 2), static_cast<Part>(0.5 * i)); });
}

struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "npy_test_XXXXXX").string();
    if (!mkdtemp(name.data())) std::abort();
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

}  // namespace

NamedTensors all() {
  NamedTensors out;
  add_real<Float16>(out, "f2");
  add_real<float>(out, "f4");
  add_real<double>(out, "f8");
  add_int<int8_t>(out, "i1");
  add_int<uint8_t>(out, "u1");
  add_int<int16_t>(out, "i2");
  add_int<uint16_t>(out, "u2");
  add_int<int32_t>(out, "i4");
  add_int<uint32_t>(out, "u4");
  add_int<int64_t>(out, "i8");
  add_int<uint64_t>(out, "u8");
  add<Bool>(out, "b", [](int i) { return Bool(i % 3 == 0); });
  add_complex<std::complex<float>>(out, "c8");
  add_complex<std::complex<double>>(out, "c16");
  add<std::string>(out, "U7", [](int i) { return i % 2 ? "é" + std::to_string(i) + "字😀" : std::string(); });
  add<std::string>(out, "S7", [](int i) { return "s" + std::to_string(i); });
  return out;
}

const std::filesystem::path& folder() {
  static const Folder folder;
  static const bool made =
      std::system((std::string(TC_PYTHON " " TC_SOURCE_DIR "/tests/common/npy_peer.py make ") + folder.path.string())
                      .c_str()) == 0;
  if (!made) std::abort();
  return folder.path;
}

int run_peer(const std::string& mode) {
  return std::system(
      (std::string(TC_PYTHON " " TC_SOURCE_DIR "/tests/common/npy_peer.py ") + mode + " " + folder().string()).c_str());
}

std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

}  // namespace tc::npy_cases
