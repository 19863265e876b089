#include "tc/kernels/elementwise/pieces.h"

#include <numbers>

namespace tc::kernels {
namespace {

using Real = long double;

// e^x - 1 for 0 <= x: the series of x / 2^n, then n times (1 + s)^2 - 1.
constexpr Real expm1(Real x) {
  int halvings = 0;
  for (; x > 0.1L; x /= 2) ++halvings;
  Real sum = 0, term = 1;
  for (int i = 1; i < 20; ++i) {
    term *= x / i;
    sum += term;
  }
  for (; halvings > 0; --halvings) sum *= sum + 2;
  return sum;
}

constexpr Real tanh(Real x) {
  const Real e = expm1(2 * x);
  return e / (e + 2);
}

// By its series; what cancels leaves 11 digits up to x = 4, from where on it is 1 in f32, and 10 to 4.5.
constexpr Real erf(Real x) {
  if (x > 4.5L) return 1;
  Real sum = x, term = x;
  for (int n = 1; n < 120; ++n) {
    term *= -x * x / n;
    sum += term / (2 * n + 1);
  }
  return sum * 2 * std::numbers::inv_sqrtpi_v<Real>;
}

constexpr Real gelu_less(Real x) {
  return x * (1 - erf(x / std::numbers::sqrt2_v<Real>)) / 2;
}

constexpr Real cosine(Real x) {
  Real sum = 0, term = 1;
  for (int n = 1; n < 40; n += 2) {
    sum += term;
    term *= -x * x / (n * (n + 1));
  }
  return sum;
}

// Interpolation at Chebyshev's nodes, close to the best polynomial of every piece.
template <class F>
constexpr Pieces pieces_of(F f) {
  Pieces all{};
  for (int piece = 0; piece < kPieces; ++piece) {
    Real octave = kPieceStart;
    for (int i = 0; i < piece / 4; ++i) octave *= 2;
    const Real begin = piece == 0 ? 0 : octave * (4 + piece % 4) / 4;
    const Real width = piece == 0 ? octave * 5 / 4 : octave / 4;
    // Piece 0 has no c[0]: (f(y) - y) / y begins with c[1].
    const int from = piece == 0 ? 1 : 0, terms = kPieceTerms - from;
    Real at[kPieceTerms]{}, difference[kPieceTerms]{}, c[kPieceTerms]{};
    for (int i = 0; i < terms; ++i) {
      at[i] = width * (1 + cosine(std::numbers::pi_v<Real> * (2 * i + 1) / (2 * terms))) / 2;
      difference[i] = piece == 0 ? f(at[i]) / at[i] - 1 : f(begin + at[i]);
    }
    for (int order = 1; order < terms; ++order)
      for (int i = terms - 1; i >= order; --i)
        difference[i] = (difference[i] - difference[i - 1]) / (at[i] - at[i - order]);
    // Newton's form, multiplied out.
    for (int i = terms - 1; i >= 0; --i) {
      for (int j = terms - 1; j > 0; --j) c[j] = c[j - 1] - at[i] * c[j];
      c[0] = difference[i] - at[i] * c[0];
    }
    for (int i = 0; i < terms; ++i) all.c[i + from][piece] = static_cast<float>(c[i]);
  }
  return all;
}

}  // namespace

constinit const Pieces kTanhPieces = pieces_of(tanh);
constinit const Pieces kErfPieces = pieces_of(erf);
constinit const Pieces kGeluPieces = pieces_of(gelu_less);

}  // namespace tc::kernels
