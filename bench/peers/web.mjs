// tc-web against onnxruntime-web in one process, in turns: node web.mjs MODEL.onnx... [--dim NAME=N] [--seconds S]
//
// CPU time of a run, the least of many blocks, which other processes of the machine disturb less than its wall time;
// one thread. Inputs are made up; how far outputs differ is told as a share of the largest. For figures by processes
// of their own, on a quiet machine, there is tc-bench --engines tc-wasm,ort-wasm.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import * as packages from '../../tests/peers/packages.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { dim: { type: 'string', multiple: true, default: [] }, seconds: { type: 'string', default: '2' } },
});
const dims = Object.fromEntries(values.dim.map((d) => [d.split('=')[0], Number(d.split('=')[1])]));
const blocks = 12;

const tc = await import(pathToFileURL(path.join(packages.tcWeb(), 'index.mjs')));
const ort = packages.load('onnxruntime-web');
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'error';

let seed = 1;
const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;

function inputsOf(session) {
  const feeds = {};
  for (const { name, type, shape } of session.inputMetadata) {
    const extents = shape.map((d) => (typeof d === 'number' ? d : (dims[d] ?? 1)));
    const count = extents.reduce((a, b) => a * b, 1);
    const whole = /int|bool/.test(type);
    const data = Array.from({ length: count }, () => (whole ? Math.floor(2 * random()) : 2 * random() - 1));
    feeds[name] = new tc.Tensor(type, data, extents);
  }
  return feeds;
}

// CPU milliseconds of n runs, per run.
async function block(run, n) {
  const before = process.cpuUsage();
  for (let i = 0; i < n; ++i) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3 / n;
}

function errorOfMax(a, b) {
  let error = 0, most = 0;
  for (const [name, { type, data }] of Object.entries(b)) {
    if (type === 'string') continue;
    for (let i = 0; i < data.length; ++i) {
      error = Math.max(error, Math.abs(Number(a[name].data[i]) - Number(data[i])));
      most = Math.max(most, Math.abs(Number(data[i])));
    }
  }
  return error / (most || 1);
}

const ratios = [];
console.log(['model', 'tc ms', 'ort ms', 'ratio', 'tc load ms', 'ort load ms', 'tc MB', 'differ'].map((s) => s.padEnd(13)).join(''));
for (const file of positionals) {
  const bytes = fs.readFileSync(file);
  let mine, theirs;
  const load_tc = await block(async () => (mine = await tc.InferenceSession.create(bytes)), 1);
  const load_ort = await block(async () => (theirs = await ort.InferenceSession.create(bytes, { executionProviders: ['wasm'] })), 1);
  const feeds = inputsOf(mine);
  const others = Object.fromEntries(
    Object.entries(feeds).map(([name, { type, data, dims: extents }]) => [name, new ort.Tensor(type, data, extents)]));
  const runs = { tc: () => mine.run(feeds), ort: () => theirs.run(others) };
  const differ = errorOfMax(await runs.tc(), await runs.ort());
  const best = {}, count = {};
  for (const [name, run] of Object.entries(runs)) {
    await block(run, 3);
    const once = await block(run, 3);
    count[name] = Math.max(1, Math.round((Number(values.seconds) * 1e3) / blocks / Math.max(once, 1e-3)));
    best[name] = Infinity;
  }
  for (let k = 0; k < blocks; ++k)
    for (const [name, run] of Object.entries(runs)) best[name] = Math.min(best[name], await block(run, count[name]));
  ratios.push(best.ort / best.tc);
  const row = [path.basename(file, '.onnx'), best.tc.toPrecision(3), best.ort.toPrecision(3), ratios.at(-1).toFixed(2),
    load_tc.toFixed(0), load_ort.toFixed(0), (mine.memory / 1e6).toFixed(1), differ.toExponential(1)];
  console.log(row.map((s) => String(s).padEnd(13)).join(''));
  await mine.release();
  await theirs.release();
}
const mean = Math.exp(ratios.reduce((a, r) => a + Math.log(r), 0) / ratios.length);
console.log(`geometric mean of the ratios ${mean.toFixed(2)}; onnxruntime-web ${ort.env.versions.web}, Node ${process.version}`);
process.exit(0);
