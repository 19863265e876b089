// The worker of tc-bench for ONNX Runtime Web: answers each JSON request from standard input with a line of JSON, as
// `tc-bench --worker` does (tools/bench/session.cc).
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { createRequire } from 'node:module';
import { readNpz, writeNpz } from '../../tests/peers/npz.mjs';

const warmUpMs = 20;
const maxTimes = 4000;

// TC_NODE_MODULES names a folder of packages outside the tree.
const folder = process.env.TC_NODE_MODULES;
const require = createRequire(folder ? path.resolve(folder, 'x.js') : import.meta.url);
const ort = require('onnxruntime-web');

let session;
let feeds;

const peakMb = () => {
  const [, kb] = /VmHWM:\s+(\d+)/.exec(fs.readFileSync('/proc/self/status', 'latin1'));
  return Number(kb) / 1024;
};

async function load({ model, threads, inputs, outputs }) {
  const start = performance.now();
  ort.env.wasm.numThreads = threads;
  ort.env.logLevel = 'error';
  session = await ort.InferenceSession.create(fs.readFileSync(model), { executionProviders: ['wasm'] });
  const loaded = performance.now();
  feeds = {};
  for (const [name, { type, data, dims }] of Object.entries(readNpz(inputs))) feeds[name] = new ort.Tensor(type, data, dims);
  const before = performance.now();
  const results = await session.run(feeds);
  const first = performance.now() - before;
  const peak = peakMb();
  writeNpz(outputs, results);
  return {
    version: `ONNX Runtime Web ${ort.env.versions.web}`,
    load_ms: loaded - start,
    first_run_ms: first,
    peak_mb: peak,
    flops: 0,
  };
}

async function run({ ms }) {
  for (const start = performance.now(); performance.now() - start < warmUpMs; ) await session.run(feeds);
  let times = [];
  const start = performance.now();
  for (let now = start; times.length < 3 || now - start < ms; ) {
    await session.run(feeds);
    const end = performance.now();
    times.push(end - now);
    now = end;
  }
  const runs = times.length;
  if (runs > maxTimes) times = Array.from({ length: maxTimes }, (_, i) => times[Math.floor((i * runs) / maxTimes)]);
  return { times, runs };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  let answer;
  try {
    const request = JSON.parse(line);
    answer = await (request.op === 'load' ? load(request) : run(request));
  } catch (error) {
    answer = { error: String(error.message ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);
