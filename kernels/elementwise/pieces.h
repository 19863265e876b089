// Polynomials of functions of x >= 0 that are constant in the end, one for each quarter of an octave: with AVX-512
// looking up coefficients is cheaper than the exponential that tanh, erf and GELU otherwise take (tanh 28 to 13 cycles
// for a register, erf 35 to 13, GELU 1.5 times as fast).
#pragma once

namespace tc::kernels {

// Piece 0 is [0, 5/4 kPieceStart), piece i a quarter of the octave 2^(i / 4) kPieceStart. With y counted from the
// piece's start, f = c[0] + c[1] y + ..., in piece 0 y + c[1] y + ...: there y is the larger part and exact.
inline constexpr int kPieces = 32, kPieceTerms = 6;
inline constexpr float kPieceStart = 1.0f / 16;

struct Pieces {
  alignas(64) float c[kPieceTerms][kPieces];
};
// The last of x Phi(-x), which GELU is less than max(x, 0).
extern const Pieces kTanhPieces, kErfPieces, kGeluPieces;

}  // namespace tc::kernels
