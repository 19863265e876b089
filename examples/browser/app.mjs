// The page: draw and classify, measure, train, by one of two runtimes that have the same interface. Files beside it (see
// serve.mjs): ort/ is ONNX Runtime Web, tc/ tc's own WebAssembly where it has been built, models/ what `mnist --out`
// exports, data/ the MNIST files.
import { loadDigits, normalise, pixels, side, slice } from './digits.mjs';
import { readSafetensors, Training } from './training.mjs';

const element = (id) => document.getElementById(id);
const say = (id, text) => (element(id).textContent = text);
const percent = (p) => `${(100 * p).toFixed(1)} %`;
const nextFrame = () => new Promise((done) => requestAnimationFrame(() => done()));

const pad = element('pad');
const pen = pad.getContext('2d', { willReadFrequently: true });
let tests, shown = -1;

const runtimes = {
  tc: { name: 'tc', file: './tc/index.mjs' },
  ort: { name: 'ONNX Runtime Web', file: './ort/ort.wasm.min.mjs' },
};
let chosen; // one of them

// Loads the runtime and the model, once.
async function open(runtime) {
  const begin = performance.now();
  runtime.ort = await import(runtime.file);
  runtime.ort.env.wasm.wasmPaths = new URL('./', new URL(runtime.file, import.meta.url)).href;
  runtime.ort.env.wasm.numThreads = globalThis.crossOriginIsolated ? Math.min(4, navigator.hardwareConcurrency) : 1;
  runtime.session = await runtime.ort.InferenceSession.create('models/mnist.onnx');
  runtime.seconds = (performance.now() - begin) / 1e3;
}
async function choose(key) {
  const runtime = runtimes[key];
  await (runtime.ready ??= open(runtime));
  chosen = runtime;
  say('status', `Ready: ${runtime.name}, loaded in ${runtime.seconds.toFixed(2)} s.`);
}

// One at a time: a session takes no second run while one is under way.
let last = Promise.resolve();
const inTurn = (task) => (last = last.then(task, task));

async function classify(images, n, { ort, session } = chosen) {
  const outputs = await session.run({ [session.inputNames[0]]: new ort.Tensor('float32', images, [n, 1, side, side]) });
  return outputs[session.outputNames[0]].data;
}

function best(p) {
  let at = 0;
  for (let k = 1; k < p.length; ++k) if (p[k] > p[at]) at = k;
  return at;
}

function showProbabilities(p) {
  const at = p ? best(p) : -1;
  element('probabilities').replaceChildren(
    ...Array.from({ length: 10 }, (_, digit) => {
      const row = document.createElement('tr');
      const name = document.createElement('th');
      const bar = document.createElement('td');
      const number = document.createElement('td');
      const fill = document.createElement('span');
      name.scope = 'row';
      name.textContent = digit;
      bar.className = 'bar';
      fill.style.width = p ? `${100 * p[digit]}%` : '0';
      bar.append(fill);
      number.textContent = p ? percent(p[digit]) : '';
      row.className = digit === at ? 'best' : '';
      row.append(name, bar, number);
      return row;
    }),
  );
  return at;
}

async function classifyPad() {
  const rgba = pen.getImageData(0, 0, pad.width, pad.height).data;
  const drawing = Float32Array.from({ length: pad.width * pad.height }, (_, i) => rgba[4 * i] / 255);
  const picture = normalise(drawing, pad.width);
  if (!picture.some((v) => v > 0)) return;
  const p = await inTurn(() => classify(picture, 1));
  const at = showProbabilities(p);
  say('answer', `This looks like a ${at} (${percent(p[at])}).`);
}

function clear() {
  pen.fillStyle = '#000';
  pen.fillRect(0, 0, pad.width, pad.height);
  showProbabilities(null);
  say('answer', 'Draw something, or show a digit of the test set.');
}

async function showSample() {
  shown = (shown + 1) % tests.count;
  const picture = slice(tests, shown, 1);
  const image = new ImageData(side, side);
  for (let i = 0; i < pixels; ++i) image.data.set([255 * picture[i], 255 * picture[i], 255 * picture[i], 255], 4 * i);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(await createImageBitmap(image), 0, 0, pad.width, pad.height);
  const p = await inTurn(() => classify(picture, 1));
  const at = showProbabilities(p);
  say('answer', `Test digit ${shown}, a ${tests.labels[shown]}, looks like a ${at} (${percent(p[at])}).`);
}

function listenToPad() {
  let from = null;
  const place = (e) => {
    const box = pad.getBoundingClientRect();
    return [((e.clientX - box.left) * pad.width) / box.width, ((e.clientY - box.top) * pad.height) / box.height];
  };
  pen.lineWidth = 20;
  pen.lineCap = pen.lineJoin = 'round';
  pen.strokeStyle = '#fff';
  const draw = (e) => {
    const to = place(e);
    pen.beginPath();
    pen.moveTo(...from);
    pen.lineTo(...to);
    pen.stroke();
    from = to;
  };
  pad.addEventListener('pointerdown', (e) => {
    pad.setPointerCapture(e.pointerId);
    from = place(e);
    draw(e);
  });
  pad.addEventListener('pointermove', (e) => from && draw(e));
  for (const end of ['pointerup', 'pointercancel'])
    pad.addEventListener(end, () => {
      if (from) classifyPad().catch(fail);
      from = null;
    });
}

async function check() {
  const n = 100;
  const p = await inTurn(() => classify(slice(tests, 0, n), n));
  let right = 0;
  for (let i = 0; i < n; ++i) right += best(p.subarray(10 * i, 10 * i + 10)) === tests.labels[i];
  say('checked', `${right} of ${n} test digits are right.`);
}

// Each runtime that is there, in turns.
async function measure() {
  const picture = slice(tests, 0, 1);
  const measured = Object.values(runtimes).filter((r) => !r.missing);
  for (const runtime of measured) {
    await (runtime.ready ??= open(runtime));
    runtime.times = [];
  }
  for (let k = -10; k < 100; ++k)
    for (const runtime of measured) {
      const start = performance.now();
      await inTurn(() => classify(picture, 1, runtime));
      if (k >= 0) runtime.times.push(performance.now() - start);
    }
  const each = (figure) => measured.map((r) => `${figure(r.times)} (${r.name})`).join(', ');
  for (const { times } of measured) times.sort((x, y) => x - y);
  const place = (k) => each((times) => `${times[k].toFixed(3)} ms`);
  const rows = [
    ['median', place(50)],
    ['10th percentile', place(10)],
    ['90th percentile', place(90)],
    ['throughput', each((times) => `${Math.round(1e3 * (times.length / times.reduce((x, y) => x + y)))} digits/s`)],
  ];
  element('measured').replaceChildren(
    ...rows.flatMap(([name, value]) => {
      const term = document.createElement('dt');
      const number = document.createElement('dd');
      term.textContent = name;
      number.textContent = value;
      return [term, number];
    }),
  );
}

function plot(losses, steps) {
  const svg = element('curve');
  const make = (name, attributes, text = '') => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.textContent = text;
    return node;
  };
  const top = Math.max(...losses), x = (k) => 40 + (550 * k) / Math.max(1, steps - 1), y = (v) => 215 - (200 * v) / top;
  const path = losses.map((v, k) => `${k ? 'L' : 'M'}${x(k).toFixed(1)},${y(v).toFixed(1)}`).join('');
  svg.replaceChildren(
    svg.querySelector('title'),
    make('line', { x1: 40, y1: 215, x2: 590, y2: 215 }),
    make('line', { x1: 40, y1: 15, x2: 40, y2: 215 }),
    make('text', { x: 4, y: 20 }, top.toFixed(2)),
    make('text', { x: 4, y: 219 }, '0'),
    make('text', { x: 590, y: 234, 'text-anchor': 'end' }, `step ${steps}`),
    make('path', { d: path }),
  );
}

let stopped = false;
async function train() {
  const steps = Math.min(500, Math.max(1, Math.round(Number(element('steps').value)) || 1));
  stopped = false;
  element('train').disabled = true;
  element('stop').disabled = false;
  element('losses').replaceChildren();
  say('trend', 'Loading the train step…');
  const { ort } = chosen;
  try {
    const [step, state, digits] = await Promise.all([
      ort.InferenceSession.create('models/mnist_train_step.onnx'),
      fetch('models/mnist_initial_state.safetensors').then((r) => r.arrayBuffer()),
      loadDigits('data/train-images-idx3-ubyte', 'data/train-labels-idx1-ubyte', 4096),
    ]);
    const training = new Training(ort, step, readSafetensors(ort, state), digits, 64);
    const losses = [];
    const start = performance.now();
    while (losses.length < steps && !stopped) {
      losses.push(await inTurn(() => training.step()));
      const item = document.createElement('li');
      item.textContent = losses.at(-1).toFixed(6);
      element('losses').append(item);
      element('trained').value = losses.length / steps;
      plot(losses, steps);
      const ms = (performance.now() - start) / losses.length;
      say('trend', `Step ${losses.length} of ${steps}: loss ${losses.at(-1).toFixed(4)}, ${ms.toFixed(0)} ms a step.`);
      await nextFrame();
    }
    await step.release();
    say('trend', `${element('trend').textContent} The first loss was ${losses[0].toFixed(4)}.`);
  } finally {
    element('train').disabled = false;
    element('stop').disabled = true;
  }
}

function fail(error) {
  const status = element('status');
  status.className = 'error';
  status.textContent = `That did not work: ${error.message ?? error}`;
  console.error(error);
}

async function start() {
  clear();
  listenToPad();
  const built = await fetch('tc/package.json').then((r) => r.ok, () => false);
  runtimes.tc.missing = !built;
  element('runtime-tc').disabled = !built;
  if (!built) say('tc-missing', '(./dev wasm builds it)');
  element(built ? 'runtime-tc' : 'runtime-ort').checked = true;
  [tests] = await Promise.all([
    loadDigits('data/t10k-images-idx3-ubyte', 'data/t10k-labels-idx1-ubyte', 1000),
    choose(built ? 'tc' : 'ort'),
  ]);
  for (const key of Object.keys(runtimes))
    element(`runtime-${key}`).addEventListener('change', () => choose(key).catch(fail));
  const on = (id, f) => {
    element(id).disabled = false;
    element(id).addEventListener('click', () => Promise.resolve(f()).catch(fail));
  };
  on('clear', clear);
  on('sample', showSample);
  on('check', check);
  on('measure', measure);
  on('train', train);
  element('stop').addEventListener('click', () => (stopped = true));
}

start().catch(fail);
