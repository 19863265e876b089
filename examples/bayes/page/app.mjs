// The page: chains of an exported sampler, one worker each, and what they say about the posterior. Files beside it (see
// serve.mjs): ort/ is ONNX Runtime Web, models/ what `bayes --out` exports.
import { histogram, trace } from './charts.mjs';
import { summary } from './diagnostics.mjs';
import { models } from './models.mjs';

const element = (id) => document.getElementById(id);
const say = (id, text) => (element(id).textContent = text);
const workers = [];
let columns = [], names = [];

function task(k, message) {
  workers[k] ??= new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' });
  return new Promise((done, failed) => {
    workers[k].onmessage = ({ data }) => (data.error ? failed(new Error(data.error)) : done(data.result));
    workers[k].onerror = (event) => failed(new Error(event.message ?? 'the worker ended'));
    workers[k].postMessage(message);
  });
}

// The draws of each parameter: a Float64Array per chain, without the warm-up.
function columnsOf(results, warmup) {
  return names.map((_, p) =>
    results.map((r) => Float64Array.from({ length: r.parameters.length / r.columns - warmup }, (_, i) => r.parameters[(warmup + i) * r.columns + p])),
  );
}

// SHA-256 over the bytes of all chains' parameters, warm-up included.
async function digest(results) {
  const bytes = new Uint8Array(results.reduce((n, r) => n + r.parameters.byteLength, 0));
  let at = 0;
  for (const r of results) {
    bytes.set(new Uint8Array(r.parameters.buffer, r.parameters.byteOffset, r.parameters.byteLength), at);
    at += r.parameters.byteLength;
  }
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (b) => b.toString(16).padStart(2, '0')).join('');
}

function show(p) {
  const name = names[p];
  element('charts').replaceChildren(
    trace(`Trace of ${name}`, columns[p]),
    histogram(`Histogram of ${name}`, columns[p]),
  );
  for (const row of element('summary').children) row.className = row.dataset.name === name ? 'shown' : '';
}

function table(rows) {
  element('summary').replaceChildren(
    ...rows.map((s, p) => {
      const row = document.createElement('tr');
      row.dataset.name = names[p];
      const head = document.createElement('th');
      const button = document.createElement('button');
      head.scope = 'row';
      button.type = 'button';
      button.textContent = names[p];
      button.addEventListener('click', () => show(p));
      head.append(button);
      row.append(head);
      for (const text of [s.mean.toFixed(3), s.sd.toFixed(3), s.rhat.toFixed(3), s.ess.toFixed(0)]) {
        const cell = document.createElement('td');
        cell.textContent = text;
        row.append(cell);
      }
      return row;
    }),
  );
}

const count = (id, most) => Math.min(most, Math.max(1, Math.round(Number(element(id).value)) || 1));

async function sample() {
  const model = element('model').value, chains = count('chains', 8);
  const warmup = count('warmup', 20000), draws = Math.max(4, count('draws', 20000)), seed = count('seed', 2 ** 31);
  element('run').disabled = true;
  say('outcome', `Sampling ${chains} chains of ${warmup} + ${draws}…`);
  try {
    const start = performance.now();
    const results = await Promise.all(Array.from({ length: chains }, (_, k) => task(k, { model, key: [seed, k], warmup, draws })));
    const seconds = (performance.now() - start) / 1e3;
    names = models[model].parameters;
    columns = columnsOf(results, warmup);
    table(columns.map(summary));
    show(0);
    const total = (list) => list.reduce((a, b) => a + b, 0);
    const gradients = total(results.map((r) => total(r.leaves)));
    const lost = total(results.map((r) => total(r.diverging.slice(warmup))));
    say('digest', await digest(results));
    say('outcome', `${chains} chains of ${warmup} + ${draws} in ${seconds.toFixed(1)} s: ${gradients} gradients, ${lost} divergences.`);
  } finally {
    element('run').disabled = false;
  }
}

function fail(error) {
  say('outcome', `That did not work: ${error.message ?? error}`);
  element('outcome').className = 'error';
  console.error(error);
}

for (const [name, { title }] of Object.entries(models)) element('model').append(new Option(title, name));
element('run').addEventListener('click', () => sample().catch(fail));
element('run').disabled = false;
