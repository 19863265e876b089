#include "gallery.h"

namespace gallery {

tc::Function tagger() {
  constexpr int64_t kWords = 500, kWidth = 24, kUnits = 16, kTags = 12;
  tc::Init init(7);
  const tc::Param table("embedding", init.normal({kWords, kWidth}, 0, 1)),
      w("lstm.w", init.xavier_uniform({2, 4 * kUnits, kWidth})),
      r("lstm.r", init.xavier_uniform({2, 4 * kUnits, kUnits})), b("lstm.b", tc::Tensor(tc::f32, {2, 8 * kUnits})),
      out("out.w", init.xavier_uniform({2 * kUnits, kTags})), bias("out.b", tc::Tensor(tc::f32, {kTags}));

  return tc::trace("tagger", {{"words", tc::i64, {"time", "batch"}}}, [&](tc::Var words) {
    const auto read = tc::lstm(tc::embedding(words, table), w, r, b, {.direction = tc::Direction::bidirectional});
    // [time, directions, batch, units] -> both directions of a word side by side
    const tc::Var both = tc::reshape(tc::permute_dims(read.y, {0, 2, 1, 3}), {words.dim(0), words.dim(1), 2 * kUnits});
    const tc::Var scores = tc::matmul(both, out) + bias;
    return tc::Outputs{{"scores", scores}, {"tags", tc::argmax(scores, {.axis = -1})}};
  });
}

}  // namespace gallery
