// Files of tensors and pictures.
#include <sys/mman.h>
#include <unistd.h>

#include "target.h"
#include "tc/frontend/api/files/npy.h"
#include "tc/frontend/api/files/safetensors.h"
#include "tc/ir/eval/image.h"

namespace tc::fuzz {
namespace {

constexpr uint64_t kMaxPicture = 4 << 20;

void expect_same(const Tensor& a, const Tensor& b) {
  require(a.identical(b), cat(a.type(), " reads back as ", b.type(), " or as other elements"));
}

}  // namespace

void run_npy(std::string_view bytes) {
  guarded([&] {
    const Tensor t = parse_npy(bytes, "file.npy");
    // What was written once reads as it is; strings and element types that NumPy lacks change on the first way.
    const Tensor again = parse_npy(format_npy(t), "written.npy");
    expect_same(again, parse_npy(format_npy(again), "written twice.npy"));
  });
}

// libzip reads files alone.
void run_npz(std::string_view bytes) {
  const int fd = memfd_create("npz", 0);
  if (fd < 0) return;
  if (write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()))
    guarded([&] { read_npz(cat("/proc/self/fd/", fd)); });
  close(fd);
}

void run_safetensors(std::string_view bytes) {
  guarded([&] {
    const auto kept = std::make_shared<const std::string>(bytes);
    for (const auto& [name, tensor] : parse_safetensors(*kept, "file.safetensors", kept)) expect_same(tensor, tensor);
  });
}

void run_image(std::string_view bytes) {
  const ImageFile file(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  for (auto* decode : {decode_bmp, decode_jpeg, decode_jpeg2000, decode_png, decode_pnm, decode_tiff, decode_webp})
    guarded([&] {
      Picture picture(kMaxPicture);
      if (decode(file, picture))
        require(picture.rgb().size() == static_cast<size_t>(picture.width() * picture.height() * 3), "pixels");
    });
}

}  // namespace tc::fuzz
