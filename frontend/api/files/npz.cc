// .npz archives through libzip.
#include <zip.h>

#include <algorithm>
#include <memory>

#include "tc/backend/onnx/atomic_file.h"
#include "tc/frontend/api/files/npy.h"

namespace tc {
namespace {

constexpr std::string_view kSuffix = ".npy";

struct Discard {
  void operator()(zip_t* z) const { zip_discard(z); }
  void operator()(zip_file_t* f) const { zip_fclose(f); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

Archive open(const std::string& path, int flags) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), flags, &code));
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    fail(ErrorCode::bad_file, "cannot open ", path, ": ", why);
  }
  return archive;
}

std::string member_name(zip_t* archive, zip_uint64_t index) {
  const char* name = zip_get_name(archive, index, ZIP_FL_ENC_GUESS);
  std::string text = name ? name : "";
  if (text.ends_with(kSuffix)) text.resize(text.size() - kSuffix.size());
  return text;
}

Tensor read_member(zip_t* archive, zip_uint64_t index, const std::string& path) {
  const std::string source = path + ":" + member_name(archive, index);
  const auto broken = [&](const char* why) { fail(ErrorCode::bad_file, source, ": ", why); };
  zip_stat_t stat;
  if (zip_stat_index(archive, index, 0, &stat) != 0) broken(zip_strerror(archive));
  constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
  // Deflate cannot expand by more than 1032, so a larger promise is a lie that must not be allocated.
  constexpr zip_uint64_t kMaxRatio = 1032;
  if ((stat.valid & kNeeded) != kNeeded || stat.size / kMaxRatio > stat.comp_size)
    broken("the archive announces an impossible size");
  const std::unique_ptr<zip_file_t, Discard> file(zip_fopen_index(archive, index, 0));
  if (!file) broken(zip_strerror(archive));
  // Both sizes may be lies: what is taken grows with what comes.
  constexpr size_t kStep = 1 << 20;
  std::string bytes;
  for (size_t done = 0; done < stat.size;) {
    if (done == bytes.size()) bytes.resize(std::min<size_t>(stat.size, done + std::max(done, kStep)));
    const zip_int64_t n = zip_fread(file.get(), bytes.data() + done, bytes.size() - done);
    if (n <= 0) broken(n < 0 ? zip_file_strerror(file.get()) : "truncated");
    done += static_cast<size_t>(n);
  }
  // The checksum is compared when the end is met.
  char beyond;
  if (zip_fread(file.get(), &beyond, 1) != 0) broken("wrong checksum or size");
  return parse_npy(bytes, source);
}

// The finished archive, into its place at once.
void write_source(const std::string& path, zip_source_t* source) {
  const auto broken = [&] {
    fail(ErrorCode::bad_file, "cannot write ", path, ": ", zip_error_strerror(zip_source_error(source)));
  };
  zip_stat_t stat;
  if (zip_source_stat(source, &stat) != 0 || zip_source_open(source) != 0) broken();
  std::string bytes((stat.valid & ZIP_STAT_SIZE) != 0 ? stat.size : 0, '\0');
  const zip_int64_t n = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (n != static_cast<zip_int64_t>(bytes.size())) broken();
  onnx::write_file(path, bytes);
}

}  // namespace

NamedTensors read_npz(const std::string& path) {
  const Archive archive = open(path, ZIP_RDONLY);
  NamedTensors tensors;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i)
    tensors.emplace_back(member_name(archive.get(), i), read_member(archive.get(), i, path));
  return tensors;
}

Tensor read_npz_member(const std::string& path, std::string_view member) {
  const Archive archive = open(path, ZIP_RDONLY);
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  std::string known;
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
    const std::string name = member_name(archive.get(), i);
    if (name == member) return read_member(archive.get(), i, path);
    known += (known.empty() ? "" : ", ") + name;
  }
  fail(ErrorCode::bad_file, path, " has no member '", member, "'; it has: ", known);
}

void write_npz(const std::string& path, const NamedTensors& tensors) {
  // libzip makes no archive of nothing; this is the record that ends one.
  if (tensors.empty()) return onnx::write_file(path, "PK\x05\x06" + std::string(18, '\0'));
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const whole = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_t* const made = whole ? zip_open_from_source(whole, ZIP_CREATE | ZIP_TRUNCATE, &error) : nullptr;
  if (!made) {
    if (whole) zip_source_free(whole);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    fail(ErrorCode::bad_file, "cannot write ", path, ": ", why);
  }
  zip_error_fini(&error);
  Archive archive(made);
  zip_source_keep(whole);  // the archive frees it
  const std::unique_ptr<zip_source_t, decltype(&zip_source_free)> kept(whole, &zip_source_free);
  const auto check = [&](bool ok, ErrorCode code) {
    if (!ok) fail(code, "cannot write ", path, ": ", zip_strerror(archive.get()));
  };
  // libzip reads them when it closes the archive.
  std::vector<std::string> members;
  members.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) {
    const std::string& bytes = members.emplace_back(format_npy(tensor));
    zip_source_t* source = zip_source_buffer(archive.get(), bytes.data(), bytes.size(), 0);
    check(source != nullptr, ErrorCode::bad_file);
    const zip_int64_t index =
        zip_file_add(archive.get(), (name + std::string(kSuffix)).c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) zip_source_free(source);
    check(index >= 0, ErrorCode::bad_argument);
    const auto i = static_cast<zip_uint64_t>(index);
    check(zip_set_file_compression(archive.get(), i, ZIP_CM_STORE, 0) == 0, ErrorCode::bad_file);
  }
  check(zip_close(archive.get()) == 0, ErrorCode::bad_file);
  (void)archive.release();
  members.clear();
  write_source(path, whole);
}

}  // namespace tc
