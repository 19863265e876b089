// Ops of the family `signal`: Fourier transforms, windows and the mel scale. Complex numbers are pairs of real ones
// along a last axis of extent 2; a last axis of extent 1 holds real numbers.
#pragma once

#include <optional>
#include <vector>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

class Builder;

// y[k] = sum over t of x[t] e^(-2 pi i k t / n), along one axis of x cut or padded with zeros to n = dft_length
// elements (default: its extent). Inverse: e^(+...), over n. One-sided: of a real x the first n/2 + 1 elements; its
// inverse takes those and gives n real ones (default 2 (extent - 1)).
struct DFT {
  static constexpr int64_t kDefaultAxis = -2;
  struct Attrs {
    bool inverse = false, onesided = false;
    static constexpr auto fields = Fields{field("inverse", &Attrs::inverse), field("onesided", &Attrs::onesided)};
  };
  static constexpr OpFacts facts{"dft",
                                 {"DFT", 20},
                                 "x:T, dft_length:I?, axis:J? -> y:T",
                                 {{{'T', dtypes::floats}, {'I', dtypes::index}, {'J', dtypes::index}}},
                                 "discrete Fourier transform along an axis"};
  static void infer(InferContext& ctx);
};

// Signals (batch, length, 1 or 2) to spectra (batch, frames, bins, 2) of frames of frame_length elements (default: the
// window's, or else the signal's) that start every frame_step elements, times the window. A shorter window is zero
// beyond its end. One-sided (real signals only): bins = frame_length / 2 + 1, else frame_length.
struct STFT {
  struct Attrs {
    bool onesided = true;
    static constexpr auto fields = Fields{field("onesided", &Attrs::onesided)};
  };
  static constexpr OpFacts facts{"stft",
                                 {"STFT", 17},
                                 "signal:T, frame_step:I, window:T?, frame_length:J? -> y:T",
                                 {{{'T', dtypes::floats}, {'I', dtypes::index}, {'J', dtypes::index}}},
                                 "discrete Fourier transforms of the frames of a signal"};
  static void infer(InferContext& ctx);
};

// a - b cos(2 pi i / n) + c cos(4 pi i / n) for i below `size`, where n is the size, or size - 1 when not periodic. A
// window of one element is 1.
struct CosineWindow {
  struct Attrs {
    DType output_dtype = DType::f32;
    bool periodic = true;
    static constexpr auto fields =
        Fields{field("output_dtype", &Attrs::output_dtype, "output_datatype"), field("periodic", &Attrs::periodic)};
  };
  struct Terms {
    double a, b, c;
  };
  static void infer(InferContext& ctx);
};

struct HannWindow : CosineWindow {
  static constexpr Terms terms{0.5, 0.5, 0};
  static constexpr OpFacts facts{"hann_window",
                                 {"HannWindow", 17},
                                 "size:I -> y:V",
                                 {{{'I', dtypes::index}, {'V', dtypes::numeric}}},
                                 "the Hann window"};
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

struct HammingWindow : CosineWindow {
  static constexpr Terms terms{25.0 / 46, 21.0 / 46, 0};
  static constexpr OpFacts facts{"hamming_window",
                                 {"HammingWindow", 17},
                                 "size:I -> y:V",
                                 {{{'I', dtypes::index}, {'V', dtypes::numeric}}},
                                 "the Hamming window with the coefficients 25/46 and 21/46"};
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

struct BlackmanWindow : CosineWindow {
  static constexpr Terms terms{0.42, 0.5, 0.08};
  static constexpr OpFacts facts{"blackman_window",
                                 {"BlackmanWindow", 17},
                                 "size:I -> y:V",
                                 {{{'I', dtypes::index}, {'V', dtypes::numeric}}},
                                 "the Blackman window"};
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

// (dft_length / 2 + 1, num_mel_bins) weights. The edges of the triangles are spaced evenly on the mel scale
// 2595 log10(1 + hertz / 700) and lie on bins of the spectrum; frequencies and sample rate are in hertz.
struct MelWeightMatrix {
  struct Attrs {
    DType output_dtype = DType::f32;
    static constexpr auto fields = Fields{field("output_dtype", &Attrs::output_dtype, "output_datatype")};
  };
  static constexpr OpFacts facts{
      "mel_weight_matrix",
      {"MelWeightMatrix", 17},
      "num_mel_bins:I, dft_length:I, sample_rate:I, lower_edge_hertz:F, upper_edge_hertz:F -> y:V",
      {{{'I', dtypes::index}, {'F', dtypes::floats}, {'V', dtypes::numeric}}},
      "triangular filters that turn a one-sided spectrum into mel bins"};
  static void infer(InferContext& ctx);
};

}  // namespace tc
