// Trace plots and histograms as SVG: the paths alone, styles are in style.css.

const width = 600, height = 160;

function make(name, attributes, text = '') {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.textContent = text;
  return node;
}

function figure(title, nodes) {
  const svg = make('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': title });
  svg.append(make('line', { x1: 40, y1: height - 20, x2: width - 5, y2: height - 20 }), ...nodes);
  return svg;
}

function range(chains) {
  let low = Infinity, high = -Infinity;
  for (const c of chains) for (const v of c) (low = Math.min(low, v)), (high = Math.max(high, v));
  return [low, high > low ? high : low + 1];
}

const short = (v) => (Math.abs(v) >= 100 ? v.toFixed(0) : v.toPrecision(3));

// Values by iteration, a line per chain.
export function trace(title, chains) {
  const [low, high] = range(chains);
  const n = chains[0].length;
  const x = (i) => (40 + ((width - 45) * i) / Math.max(1, n - 1)).toFixed(1);
  const y = (v) => (height - 20 - ((height - 30) * (v - low)) / (high - low)).toFixed(1);
  const path = (c) => Array.from(c, (v, i) => `${i ? 'L' : 'M'}${x(i)},${y(v)}`).join('');
  return figure(title, [
    ...chains.map((c, k) => make('path', { d: path(c), class: `chain chain${k}` })),
    make('text', { x: 2, y: 14 }, short(high)),
    make('text', { x: 2, y: height - 22 }, short(low)),
    make('text', { x: width - 5, y: height - 5, 'text-anchor': 'end' }, `draw ${n}`),
  ]);
}

// How often values fall into 40 parts of their range, of all chains together.
export function histogram(title, chains) {
  const [low, high] = range(chains);
  const counts = new Array(40).fill(0);
  for (const c of chains) for (const v of c) ++counts[Math.min(39, Math.floor((40 * (v - low)) / (high - low)))];
  const top = Math.max(...counts), step = (width - 45) / 40;
  return figure(title, [
    ...counts.map((n, i) => {
      const h = ((height - 30) * n) / top;
      return make('rect', { x: (40 + i * step).toFixed(1), y: (height - 20 - h).toFixed(1), width: (step - 1).toFixed(1), height: h.toFixed(1) });
    }),
    make('text', { x: 40, y: height - 5 }, short(low)),
    make('text', { x: width - 5, y: height - 5, 'text-anchor': 'end' }, short(high)),
  ]);
}
