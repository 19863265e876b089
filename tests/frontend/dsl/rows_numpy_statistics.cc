// NumPy's statistics, counts, searches and sets.
#include "vocabulary.h"

namespace tc::vocabulary {
namespace {

// With NaNs in some places, and with nothing else in the first row.
Var with_nans(const Var& x) {
  const Var some = where(x > 0.5, std::numeric_limits<double>::quiet_NaN(), x);
  return some.at(0).set(std::numeric_limits<double>::quiet_NaN());
}

const std::string kNans = "with_nans(a)";

}  // namespace

Group numpy_statistics_rows() {
  Group g{"NumPy: statistics", {}};
  g.add(
      "ptp", {"f32[3,4]"},
      [](Var x) {
        return std::pair{ptp(x), ptp(x, {.axis = 1, .keepdims = true})};
      },
      "(np.ptp(a), np.ptp(a, 1, keepdims=True))");
  g.add(
      "quantile", {"f32[3,4,5]"},
      [](Var x) {
        return std::vector<Var>{quantile(x, 0.3), quantile(x, 0.3, {.axis = 1, .keepdims = true}),
                                quantile(x, 1, {.axis = {0, 2}})};
      },
      "single((np.quantile(a, 0.3), np.quantile(a, 0.3, 1, keepdims=True), np.quantile(a, 1, (0, 2))))");
  g.add(
      "quantile", {"f32[7]"},
      [](Var x) {
        std::vector<Var> y;
        for (const auto m :
             {QuantileMethod::lower, QuantileMethod::higher, QuantileMethod::nearest, QuantileMethod::midpoint})
          y.push_back(quantile(x, 0.4, {.method = m}));
        return y;
      },
      "single([np.quantile(a, 0.4, method=m) for m in ('lower', 'higher', 'nearest', 'midpoint')])");
  g.add(
       "quantile", {"f64[6]", "f64[3]=0,0.25,0.9"}, [](Var x, Var q) { return quantile(x, q); }, "np.quantile(a, b)")
      .fixed = true;
  g.add(
      "percentile", {"f32[4,9]"}, [](Var x) { return percentile(x, 90, {.axis = 1}); },
      "np.percentile(a, 90, 1).astype('f4')");
  g.add(
      "median", {"f32[4,9]"},
      [](Var x) {
        return std::vector<Var>{median(x), median(x, {.axis = 1}), median(with_nans(x), {.axis = 1})};
      },
      "(np.median(a), np.median(a, 1), np.median(with_nans(a), 1))");
  g.add(
      "median", {"i32[6]"}, [](Var x) { return median(x); }, "np.float32(np.median(a))");
  g.add(
      "average", {"f32[3,4]", "f32[4]{0.1,2}"},
      [](Var x, Var w) {
        return std::pair{average(x, {.axis = 1, .weights = w}), average(x, {.axis = 0})};
      },
      "(np.average(a, 1, b), np.average(a, 0))");
  g.add(
      "average", {"f32[3,4]", "f32[3,4]{0.1,2}"},
      [](Var x, Var w) { return average(x, {.weights = w, .keepdims = true}); },
      "np.average(a, None, b, keepdims=True)");
  g.add(
      "mean", {"i32[3,4]"},
      [](Var x) {
        return std::vector<Var>{mean(x, {.axis = 0}), var(x), std(x)};
      },
      "(np.mean(a, 0).astype('f4'), np.var(a).astype('f4'), np.std(a).astype('f4'))");
  g.add(
      "nansum", {"f32[4,5]"}, [](Var x) { return nansum(with_nans(x), {.axis = 1}); }, "np.nansum(" + kNans + ", 1)");
  g.add(
      "nanprod", {"f32[4,5]"}, [](Var x) { return nanprod(with_nans(x), {.axis = 1}); },
      "np.nanprod(" + kNans + ", 1)");
  g.add(
      "nanmax", {"f32[4,5]"},
      [](Var x) {
        return std::pair{nanmax(with_nans(x), {.axis = 1}), nanmax(with_nans(x))};
      },
      "(np.nanmax(" + kNans + ", 1), np.nanmax(" + kNans + "))");
  g.add(
      "nanmin", {"f32[4,5]"}, [](Var x) { return nanmin(with_nans(x), {.axis = 0, .keepdims = true}); },
      "np.nanmin(" + kNans + ", 0, keepdims=True)");
  g.add(
      "nanmean", {"f32[4,5]"}, [](Var x) { return nanmean(with_nans(x), {.axis = 1}); },
      "np.nanmean(" + kNans + ", 1)");
  g.add(
      "nanvar", {"f32[4,5]"}, [](Var x) { return nanvar(with_nans(x), {.axis = 1, .correction = 1}); },
      "np.nanvar(" + kNans + ", 1, ddof=1)");
  g.add(
      "nanstd", {"f32[4,5]"}, [](Var x) { return nanstd(with_nans(x)); }, "np.nanstd(" + kNans + ")");
  g.add(
      "nanmedian", {"f32[4,5]"}, [](Var x) { return nanmedian(with_nans(x), {.axis = 1}); },
      "np.nanmedian(" + kNans + ", 1)");
  g.add(
      "nanquantile", {"f32[4,5]"}, [](Var x) { return nanquantile(with_nans(x), 0.7, {.axis = 1}); },
      "np.nanquantile(" + kNans + ", 0.7, 1)");
  g.add(
      "nanpercentile", {"f32[4,5]"}, [](Var x) { return nanpercentile(with_nans(x), 70); },
      "np.float32(np.nanpercentile(" + kNans + ", 70))");
  g.add(
      "nanargmax", {"f32[4,5]"}, [](Var x) { return nanargmax(with_nans(x)[slice(1, {})], {.axis = 0}); },
      "np.argmax(np.where(np.isnan(" + kNans + "[1:]), -inf, " + kNans + "[1:]), 0)");
  g.add(
      "nanargmin", {"f32[4,5]"}, [](Var x) { return nanargmin(with_nans(x)); }, "np.nanargmin(" + kNans + ")");
  g.add(
      "nancumsum", {"f32[4,5]"}, [](Var x) { return nancumsum(with_nans(x), {.axis = 1}); },
      "np.nancumsum(" + kNans + ", 1)");
  g.add(
      "nancumprod", {"f32[4,5]"}, [](Var x) { return nancumprod(with_nans(x), {.axis = 1}); },
      "np.nancumprod(" + kNans + ", 1)");
  g.add(
       "cov", {"f32[3,9]", "f32[9]"},
       [](Var x, Var y) {
         return std::vector<Var>{cov(x), cov(x, {.y = y, .correction = 0}), cov(y), cov(x, {.rows = false})};
       },
       "(np.cov(a), np.cov(a, b, ddof=0), np.cov(b), np.cov(a, rowvar=False))")
      .tolerance = 2e-5;
  g.add(
       "corrcoef", {"f32[3,9]", "f32[9]"},
       [](Var x, Var y) {
         return std::vector<Var>{corrcoef(x), corrcoef(x, {.y = y}), corrcoef(y)};
       },
       "(np.corrcoef(a), np.corrcoef(a, b), np.corrcoef(b))")
      .tolerance = 2e-5;
  g.add(
      "mode", {"i32[9,3]{0,3}"},
      [](Var x) {
        const auto [values, counts] = mode(x);
        return std::pair{values, counts};
      },
      "modes(a)");
  g.add(
      "trapezoid", {"f32[3,5]", "f32[5]"},
      [](Var y, Var x) {
        return std::vector<Var>{trapezoid(y), trapezoid(y, {.dx = 0.5, .axis = 0}), trapezoid(y, {.x = x})};
      },
      "(np.trapz(a), np.trapz(a, dx=0.5, axis=0), np.trapz(a, b))");
  g.add(
      "gradient", {"f32[4,5]"},
      [](Var x) {
        return std::pair{gradient(x), gradient(x, {.spacing = 0.5, .axis = 0})};
      },
      "(np.gradient(a, axis=-1), np.gradient(a, 0.5, axis=0))");
  g.add(
      "gradient", {"f64[4,5]", "f64[4]=0,1,1.5,4"},
      [](Var x, Var at) { return gradient(x, {.spacing = at, .axis = 0}); }, "np.gradient(a, b, axis=0)");
  g.add(
      "cummax", {"f32[3,7]"},
      [](Var x) {
        return std::pair{cummax(x), cummax(x, {.axis = 0})};
      },
      "(np.maximum.accumulate(a, -1), np.maximum.accumulate(a, 0))");
  g.add(
      "cummin", {"i32[3,7]"}, [](Var x) { return cummin(x); }, "np.minimum.accumulate(a, -1)");
  g.add(
      "argmax", {"f32[3,4,5]"},
      [](Var x) {
        return std::pair{argmax(x, {.axis = {0, 2}}), argmax(x, {.axis = {0, 2}, .keepdims = true})};
      },
      "(a.transpose(1, 0, 2).reshape(4, 15).argmax(1), a.transpose(1, 0, 2).reshape(4, 15).argmax(1)[None, :, None])");
  return g;
}

Group numpy_search_rows() {
  Group g{"NumPy: counts, searches, sets", {}};
  g.add(
      "bincount", {"i64[9]{0,4}"},
      [](Var x) {
        return std::pair{bincount(x), bincount(x, {.minlength = 9})};
      },
      "(np.bincount(a), np.bincount(a, minlength=9))");
  g.add(
      "bincount", {"u8[9]{0,4}", "f64[9]"}, [](Var x, Var w) { return bincount(x, {.weights = w}); },
      "np.bincount(a, b)");
  g.add(
      "bincount", {"i64[0]"}, [](Var x) { return bincount(x, {.minlength = 2}); }, "np.zeros(2, 'i8')");
  g.add(
      "digitize", {"f32[3,7]", "f32[4]=-1,0,0.5,2"},
      [](Var x, Var e) {
        return std::vector<Var>{digitize(x, e), digitize(x, e, {.right = true}), digitize(x, flip(e))};
      },
      "(np.digitize(a, b), np.digitize(a, b, True), np.digitize(a, b[::-1]))");
  g.add(
      "digitize", {"i32[5]=0,1,2,3,4", "i32[3]=1,3,4"},
      [](Var x, Var e) {
        return std::pair{digitize(x, e), digitize(x, e, {.right = true})};
      },
      "(np.digitize(a, b), np.digitize(a, b, True))");
  g.add(
      "histogram", {"f32[40]"},
      [](Var x) {
        const auto [counts, edges] = histogram(x, 7);
        return std::pair{counts, edges};
      },
      "np.histogram(a, 7)");
  g.add(
      "histogram", {"i32[40]"},
      [](Var x) {
        const auto [counts, edges] = histogram(x, 4, {.range = std::pair{-4.0, 4.0}, .density = true});
        return std::pair{counts, edges};
      },
      "np.histogram(a, 4, (-4, 4), density=True)");
  g.add(
      "histogram", {"f64[30]", "f64[30]{0,1}"},
      [](Var x, Var w) {
        const auto [counts, edges] = histogram(x, 5, {.weights = w});
        return std::pair{counts, edges};
      },
      "np.histogram(a, 5, weights=b)");
  g.add(
      "histogram_by_edges", {"f32[40]", "f32[4]=-1,0,0.5,2"},
      [](Var x, Var e) {
        const auto [counts, edges] = histogram_by_edges(x, e);
        return std::pair{counts, edges};
      },
      "np.histogram(a, b)");
  g.add(
      "interp", {"f32[2,9]{-3,3}", "f32[4]=-2,-1,0.5,2", "f32[4]"},
      [](Var x, Var xp, Var fp) {
        return std::pair{interp(x, xp, fp), interp(x, xp, fp, {.left = -7, .right = 8})};
      },
      "(np.interp(a, b, c).astype('f4'), np.interp(a, b, c, -7, 8).astype('f4'))");
  g.add(
      "interp", {"f64[9]{-9,9}", "f64[4]=-2,3,0.5,2", "f64[4]"},
      [](Var x, Var xp, Var fp) { return interp(x, xp, fp, {.period = 4}); }, "np.interp(a, b, c, period=4)");
  g.add(
      "isin", {"i32[3,4]", "i32[5]"},
      [](Var x, Var y) {
        return std::pair{isin(x, y), isin(x, y, {.invert = true})};
      },
      "(np.isin(a, b), np.isin(a, b, invert=True))");
  g.add(
      "isin", {"i64[50]{0,99}", "i64[60]{0,99}"}, [](Var x, Var y) { return isin(x, y); }, "np.isin(a, b)");
  g.add(
      "intersect1d", {"i32[9]{0,9}", "i32[8]{0,9}"}, [](Var x, Var y) { return intersect1d(x, y); },
      "np.intersect1d(a, b)");
  g.add(
      "setdiff1d", {"i32[9]{0,9}", "i32[8]{0,9}"}, [](Var x, Var y) { return setdiff1d(x, y); }, "np.setdiff1d(a, b)");
  g.add(
      "setxor1d", {"i32[9]{0,9}", "i32[8]{0,9}"}, [](Var x, Var y) { return setxor1d(x, y); }, "np.setxor1d(a, b)");
  g.add(
      "union1d", {"i32[3,3]{0,9}", "i32[8]{0,9}"}, [](Var x, Var y) { return union1d(x, y); }, "np.union1d(a, b)");
  g.add(
      "partition", {"f32[3,9]"},
      [](Var x) {
        return partition(x, 4)[{ellipsis, 4}];
      },
      "np.partition(a, 4)[..., 4]");
  g.add(
      "argpartition", {"f32[3,9]"},
      [](Var x) {
        return argpartition(x, -2)[{ellipsis, -2}];
      },
      "np.argpartition(a, -2)[..., -2]");
  g.add(
      "lexsort", {"i32[9]{0,2}", "i32[9]{0,2}"},
      [](Var x, Var y) {
        return lexsort({x, y});
      },
      "np.lexsort((a, b))");
  g.add(
      "unique_all", {"i32[6,2]{0,1}"},
      [](Var x) {
        const auto [values, indices, inverse, counts] = unique_all(x, {.axis = 0});
        return std::vector<Var>{values, indices, inverse, counts};
      },
      "np.unique(a, True, True, True, axis=0)");
  g.add(
      "unique_values", {"i32[2,6]{0,1}"}, [](Var x) { return unique_values(x, {.axis = 1}); }, "np.unique(a, axis=1)");
  return g;
}

}  // namespace tc::vocabulary
