// R-hat and effective sample size of chains, as ../diagnostics.h says: an array of Float64Arrays of equal length.

const meanOf = (x) => x.reduce((a, b) => a + b, 0) / x.length;

function autocovariance(x, mean, lag) {
  let sum = 0;
  for (let i = lag; i < x.length; ++i) sum += (x[i] - mean) * (x[i - lag] - mean);
  return sum / x.length;
}

export function summary(chains) {
  const half = Math.floor(chains[0].length / 2);
  const split = chains.flatMap((c) => [c.slice(0, half), c.slice(c.length - half)]);
  const m = split.length, n = half;
  const means = split.map(meanOf);
  const mean = meanOf(means);
  const within = meanOf(split.map((c, k) => (autocovariance(c, means[k], 0) * n) / (n - 1)));
  const between = means.reduce((a, v) => a + (v - mean) ** 2, 0) / (m - 1);
  const total = (within * (n - 1)) / n + between;
  // Geyer's initial monotone sequence: sums of two correlations are positive and fall.
  let time = -1, last = Infinity;
  for (let lag = 0; lag + 1 < n; lag += 2) {
    const sum = split.reduce((a, c, k) => a + autocovariance(c, means[k], lag) + autocovariance(c, means[k], lag + 1), 0);
    const pair = 2 - (2 * within - ((sum / m) * n) / (n - 1)) / total;
    if (pair <= 0) break;
    last = Math.min(last, pair);
    time += 2 * last;
  }
  const draws = m * n, limit = Math.log10(draws);
  return { mean, sd: Math.sqrt(total), rhat: Math.sqrt(total / within), ess: Math.min(draws / Math.max(time, 1 / limit), draws * limit) };
}
