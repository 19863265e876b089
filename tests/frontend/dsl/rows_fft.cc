#include "vocabulary.h"

namespace tc::vocabulary {

// NumPy transforms in f64; sums of n terms in f32 keep about six digits of the largest.
Group fft_rows() {
  Group g{"Fourier transforms", {}};
  const auto add = [&](std::string name, std::vector<std::string> inputs, auto f, std::string numpy,
                       double tolerance = 2e-5) {
    g.add(std::move(name), std::move(inputs), f, std::move(numpy)).tolerance = tolerance;
  };
  using fft::Norm;
  add(
      "fft.fft", {"f32[3,8,2]"}, [](Var x) { return fft::fft(x); }, "pairs(np.fft.fft(cplx(a)))");
  add(
      "fft.fft", {"f64[3,7,2]"}, [](Var x) { return fft::fft(x, {.axis = 0}); }, "pairs(np.fft.fft(cplx(a), axis=0))",
      1e-12);
  add(
      "fft.fft", {"f32[3,8,2]"}, [](Var x) { return fft::fft(x, {.n = 5, .norm = Norm::ortho}); },
      "pairs(np.fft.fft(cplx(a), n=5, norm='ortho'))");
  add(
      "fft.fft", {"f32[3,6,2]"}, [](Var x) { return fft::fft(x, {.n = 11, .norm = Norm::forward}); },
      "pairs(np.fft.fft(cplx(a), n=11, norm='forward'))");
  add(
      "fft.fft", {"f32[6,2]", "i64[]=4"}, [](Var x, Var n) { return fft::fft(x, {.n = n, .norm = Norm::ortho}); },
      "pairs(np.fft.fft(cplx(a), n=4, norm='ortho'))");
  add(
      "fft.fft", {"f16[2,6,2]"}, [](Var x) { return fft::fft(x); }, "pairs(np.fft.fft(cplx(a)))", 1e-2);
  add(
      "fft.ifft", {"f32[3,8,2]"}, [](Var x) { return fft::ifft(x); }, "pairs(np.fft.ifft(cplx(a)))");
  add(
      "fft.ifft", {"f32[3,6,2]"}, [](Var x) { return fft::ifft(x, {.n = 9, .axis = -2, .norm = Norm::ortho}); },
      "pairs(np.fft.ifft(cplx(a), n=9, axis=0, norm='ortho'))");
  add(
      "fft.ifft", {"f32[6,2]"}, [](Var x) { return fft::ifft(x, {.norm = Norm::forward}); },
      "pairs(np.fft.ifft(cplx(a), norm='forward'))");
  add(
      "fft.fftn", {"f32[3,4,5,2]"}, [](Var x) { return fft::fftn(x); }, "pairs(np.fft.fftn(cplx(a)))", 5e-5);
  add(
      "fft.fftn", {"f64[3,4,5,2]"},
      [](Var x) {
        return fft::fftn(x, {.s = {6, 2}, .axes = {0, -1}, .norm = Norm::ortho});
      },
      "pairs(np.fft.fftn(cplx(a), s=(6, 2), axes=(0, -1), norm='ortho'))", 1e-12);
  add(
      "fft.fftn", {"f32[3,4,5,2]"},
      [](Var x) {
        return fft::fftn(x, {.s = {3, 8}});
      },
      "pairs(np.fft.fftn(cplx(a), s=(3, 8), axes=(1, 2)))", 5e-5);
  add(
      "fft.ifftn", {"f32[3,4,5,2]"}, [](Var x) { return fft::ifftn(x); }, "pairs(np.fft.ifftn(cplx(a)))");
  add(
      "fft.ifftn", {"f32[3,4,5,2]"},
      [](Var x) {
        return fft::ifftn(x, {.axes = {1, 0}, .norm = Norm::forward});
      },
      "pairs(np.fft.ifftn(cplx(a), axes=(1, 0), norm='forward'))", 5e-5);
  add(
      "fft.rfft", {"f32[3,8]"}, [](Var x) { return fft::rfft(x); }, "pairs(np.fft.rfft(a))");
  add(
      "fft.rfft", {"f64[7,3]"}, [](Var x) { return fft::rfft(x, {.axis = 0, .norm = Norm::forward}); },
      "pairs(np.fft.rfft(a, axis=0, norm='forward'))", 1e-12);
  add(
      "fft.rfft", {"f32[3,8]"}, [](Var x) { return fft::rfft(x, {.n = 5}); }, "pairs(np.fft.rfft(a, n=5))");
  add(
      "fft.irfft", {"f32[3,5,2]"}, [](Var x) { return fft::irfft(x); }, "np.fft.irfft(cplx(a))");
  add(
      "fft.irfft", {"f32[3,5,2]"}, [](Var x) { return fft::irfft(x, {.n = 9}); }, "np.fft.irfft(cplx(a), n=9)");
  add(
      "fft.irfft", {"f64[6,3,2]"}, [](Var x) { return fft::irfft(x, {.n = 7, .axis = 0, .norm = Norm::ortho}); },
      "np.fft.irfft(cplx(a), n=7, axis=0, norm='ortho')", 1e-12);
  add(
      "fft.rfftn", {"f32[3,4,6]"}, [](Var x) { return fft::rfftn(x); }, "pairs(np.fft.rfftn(a))", 5e-5);
  add(
      "fft.rfftn", {"f64[3,4,6]"},
      [](Var x) {
        return fft::rfftn(x, {.s = {5, 3}, .axes = {2, 0}, .norm = Norm::ortho});
      },
      "pairs(np.fft.rfftn(a, s=(5, 3), axes=(2, 0), norm='ortho'))", 1e-12);
  add(
      "fft.irfftn", {"f32[3,4,4,2]"}, [](Var x) { return fft::irfftn(x); }, "np.fft.irfftn(cplx(a))");
  add(
      "fft.irfftn", {"f64[3,4,5,2]"},
      [](Var x) {
        return fft::irfftn(x, {.s = {4, 7}, .axes = {0, 2}, .norm = Norm::forward});
      },
      "np.fft.irfftn(cplx(a), s=(4, 7), axes=(0, 2), norm='forward')", 1e-12);
  add(
      "fft.hfft", {"f32[3,5,2]"}, [](Var x) { return fft::hfft(x); }, "np.fft.hfft(cplx(a))");
  add(
      "fft.hfft", {"f32[3,5,2]"}, [](Var x) { return fft::hfft(x, {.n = 7, .norm = Norm::ortho}); },
      "np.fft.hfft(cplx(a), n=7, norm='ortho')");
  add(
      "fft.ihfft", {"f32[3,8]"}, [](Var x) { return fft::ihfft(x); }, "pairs(np.fft.ihfft(a))");
  add(
      "fft.ihfft", {"f32[3,8]"}, [](Var x) { return fft::ihfft(x, {.n = 9, .axis = 0, .norm = Norm::forward}); },
      "pairs(np.fft.ihfft(a, n=9, axis=0, norm='forward'))");
  add(
      "fft.fftfreq", {}, [] { return fft::fftfreq(8, {.d = 0.1}); }, "np.fft.fftfreq(8, 0.1).astype('f4')", 1e-6);
  add(
      "fft.fftfreq", {"f32[7]"}, [](Var x) { return fft::fftfreq(x.dim(0), {.dtype = f64}); }, "np.fft.fftfreq(7)",
      1e-12);
  add(
      "fft.rfftfreq", {}, [] { return fft::rfftfreq(9, {.d = 2}); }, "np.fft.rfftfreq(9, 2).astype('f4')", 1e-6);
  add(
      "fft.rfftfreq", {"f32[8]"}, [](Var x) { return fft::rfftfreq(x.dim(0)); }, "np.fft.rfftfreq(8).astype('f4')",
      1e-6);
  g.add(
      "fft.fftshift", {"f32[4,7]"}, [](Var x) { return fft::fftshift(x); }, "np.fft.fftshift(a)");
  g.add(
      "fft.fftshift", {"i32[4,7,2]"}, [](Var x) { return fft::fftshift(x, {.axes = 1}); },
      "np.fft.fftshift(a, axes=1)");
  g.add(
      "fft.ifftshift", {"f32[4,7]"}, [](Var x) { return fft::ifftshift(x); }, "np.fft.ifftshift(a)");
  g.add(
      "fft.ifftshift", {"f32[5,2]"}, [](Var x) { return fft::ifftshift(x, {.axes = 0}); },
      "np.fft.ifftshift(a, axes=0)");
  g.add(
      "fft.complex", {"f32[3,1]", "f32[4]"}, [](Var x, Var y) { return fft::complex(x, y); },
      "pairs(a + 1j * b.astype('f4')).astype('f4')");
  g.add(
      "fft.real", {"f32[3,2]"}, [](Var x) { return fft::real(x); }, "a[..., 0]");
  g.add(
      "fft.imag", {"f32[3,2]"}, [](Var x) { return fft::imag(x); }, "a[..., 1]");
  g.add(
      "fft.conj", {"f32[3,2]"}, [](Var x) { return fft::conj(x); }, "pairs(np.conj(cplx(a))).astype('f4')");
  return g;
}

}  // namespace tc::vocabulary
