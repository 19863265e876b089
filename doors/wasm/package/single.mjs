#!/usr/bin/env node
// A module for one model, and a page that runs it:
// single.mjs MODEL FOLDER [--form snapshot|importer] [--keep calls|all] [--dim NAME=N...]
//
// The model runs in an instance that notes which functions are called, by inputs of several kinds and by wrong ones. Open
// extents become those of --dim, or 1, for others may want other functions. snapshot: the instance's memory after
// loading, and what runs need; no importer, no compiler. importer: what loading and running this model need, and the
// model beside. calls: what the trial called, which is all where nothing depends on data; all: what that names, too.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, write } from './binary.mjs';
import { InferenceSession, Tensor } from './index.mjs';
import { Module } from './module.mjs';
import { sweep, sweepData } from './reach.mjs';
import { page } from './single_page.mjs';
import * as trim from './trim.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const kScripts = ['index', 'session', 'module', 'tensor', 'weights', 'remote', 'worker'].map((name) => `${name}.mjs`);
const kFunction = 0, kGlobal = 3;
// Of the functions of session.h, what a session with its model still needs.
const kBefore = /^(_initialize|tc_(create|release|set|add_file|load)|__heap_base)$/;

// Numbers by fixed sequences, which suit most models: of whole ones 0 and 1.
const kKinds = [(i) => Math.sin(i), (i) => i % 2, () => 0, () => -1e30, () => NaN, () => Infinity, (i) => (i % 7) * 1e-40];
function made({ type, shape }, kind) {
  const count = shape.reduce((a, b) => a * b, 1);
  if (type === 'string') return new Tensor(type, Array(count).fill('a'.repeat(kind)), shape);
  if (type === 'float16') return new Tensor(type, new Uint16Array(count), shape);
  return new Tensor(type, Array.from({ length: count }, (_, i) => (/float/.test(type) ? kKinds[kind](i) : kind === 1 ? i % 2 : 0)), shape);
}
const feedsOf = (session, kind) => Object.fromEntries(session.inputMetadata.map((m) => [m.name, made(m, kind)]));

// The outputs of runs on each kind, those that fail as their errors.
async function runs(session) {
  const odd = session.inputMetadata.find((m) => !m.isTensor);
  if (odd) throw new Error(`input '${odd.name}' is no tensor; modules for one model take tensors alone`);
  const results = [];
  for (let kind = 0; kind < kKinds.length; ++kind)
    for (let again = 0; again < 3; ++again)
      try {
        results.push(await session.run(feedsOf(session, kind)));
      } catch (error) {
        results.push(error);
      }
  if (results.every((r) => r instanceof Error)) throw new Error(`no trial run succeeds: ${results[0].message}`);
  return results;
}

// What is said of wrong inputs is part of the module.
async function mistakes(session) {
  for (const m of session.inputMetadata) {
    const wrong = ['float64', 'int32'].filter((t) => t !== m.type).map((t) => new Tensor(t, [1], [1]));
    if (m.type !== 'string' && m.type !== 'float16') {
      wrong.push(new Tensor(m.type, [0], Array(m.shape.length + 1).fill(1)));
      if (m.shape.length) wrong.push(new Tensor(m.type, [], Array(m.shape.length).fill(0)));
    }
    for (const tensor of wrong) await session.run({ ...feedsOf(session, 0), [m.name]: tensor }).catch(() => {});
  }
}

// An instance with the model, its open extents fixed.
async function loaded(compiled, model, dims, see) {
  const module = await Module.start(compiled, see);
  for (const [name, extent] of Object.entries(dims)) module.set(`dim:${name}`, extent);
  module.load(model);
  return module;
}

async function trial(traced, model, dims) {
  let exports;
  const session = new InferenceSession(await loaded(traced, model, dims, (e) => (exports = e)));
  const loading = trim.called(exports);
  trim.forget(exports);
  const results = await runs(session);
  const { steps } = await session.profile(feedsOf(session, 0)).catch(() => ({ steps: [] }));
  await mistakes(session);
  const open = session.outputMetadata.some((m) => !m.isTensor || m.shape.some((d) => typeof d === 'string'));
  const running = trim.called(exports);
  await session.release();
  return { loading, running, ending: trim.called(exports), results, open, ops: new Set(steps.map((s) => s.op)) };
}

// The extents that the model leaves open, as they are asked for or 1.
async function fixed(compiled, model, asked) {
  const module = await Module.start(compiled);
  module.load(model);
  const open = module.describe().inputs.flatMap((i) => i.shape ?? []).filter((d) => typeof d === 'string');
  return Object.fromEntries([...new Set([...open, ...Object.keys(asked)])].map((d) => [d, asked[d] ?? 1]));
}

const exported = (m, kept, without) =>
  m.exports.filter((e) => !without?.test(e.name) && (e.kind !== kFunction || kept[e.index - m.imports.length]));

// The functions of session.h that a program may call at any time.
const calls = (m, without) => {
  const on = m.code.map(() => false);
  for (const e of exported(m, m.code.map(() => true), without))
    if (e.kind === kFunction) on[e.index - m.imports.length] = true;
  return on;
};
const either = (a, b) => a.map((x, i) => x || b[i]);

const symbols = () => JSON.parse(fs.readFileSync(path.join(here, 'tc.symbols.json')));
const bodiesOf = (m, kept) => m.code.filter((_, i) => kept[i]);
const needed = (m, running, all) => (all ? trim.closed(m, either(running, calls(m, kBefore))) : either(running, calls(m, kBefore)));

async function snapshot(m, traced, model, dims, { running, ops }, all) {
  let exports;
  const module = await loaded(traced, model, dims, (e) => (exports = e));
  const session = module.place, kept = needed(m, running, all);
  sweep(exports, symbols(), bodiesOf(m, kept), session, all ? undefined : ops);
  const result = trim.trimmed(m, kept, exported(m, kept, kBefore)), values = trim.variables(exports);
  const memory = new Uint8Array(exports.memory.buffer);
  result.globals = m.globals.map((g, i) => (g.mutable ? { ...g, value: values[i] } : g));
  result.exports.push({ name: 'tc_session', kind: kGlobal, index: result.globals.length });
  result.globals.push({ type: 0x7f, mutable: false, value: session });
  result.memory = { ...m.memory, initial: memory.length >> 16 };
  result.data = trim.segments(memory, values[0]);
  return result;
}

function importer(m, dims, { loading, running, ending }, all) {
  const kept = either(either(loading, ending), either(needed(m, running, all), calls(m)));
  const result = trim.trimmed(m, kept, exported(m, kept, /^__heap_base$/));
  const memory = new Uint8Array(m.memory.initial << 16);
  for (const d of m.data) memory.set(d.bytes, d.at);
  sweepData(memory, symbols(), bodiesOf(m, kept));
  result.data = trim.segments(memory, 0);
  result.custom = [{ name: 'tc.dims', bytes: new TextEncoder().encode(JSON.stringify(dims)) }];
  return result;
}

const arrays = (v) => (Array.isArray(v) || v instanceof Map ? [...v].flatMap(arrays) : [v?.data ?? [v]]);
const same = (a, b) => {
  if (a instanceof Error || b instanceof Error) return a.message === b.message;
  return Object.keys(a).every((name) => {
    const x = arrays(a[name]), y = arrays(b[name]);
    return x.length === y.length && x.every((d, k) => d.length === y[k].length && d.every((v, i) => Object.is(v, y[k][i])));
  });
};

function read(args) {
  const o = { dims: {}, form: 'snapshot', keep: undefined, files: [] };
  for (let i = 0; i < args.length; ++i) {
    const [, name, n] = (args[i] === '--dim' && /^(.+)=([0-9]+)$/.exec(args[i + 1] ?? '')) || [];
    if (name) (o.dims[name] = Number(n)), ++i;
    else if (args[i] === '--form' && /^(snapshot|importer)$/.test(args[i + 1] ?? '')) o.form = args[++i];
    else if (args[i] === '--keep' && /^(calls|all)$/.test(args[i + 1] ?? '')) o.keep = args[++i];
    else if (args[i].startsWith('-')) throw new Error(`${args[i]} ${args[i + 1] ?? ''}: unknown, or without its value`);
    else o.files.push(args[i]);
  }
  if (o.files.length !== 2) throw new Error('usage: single.mjs MODEL FOLDER [--form snapshot|importer] [--keep calls|all] [--dim NAME=N...]');
  return o;
}

// Writes the folder; gives what there is to tell of it.
export async function make(file, folder, { form = 'snapshot', keep, dims: asked = {} } = {}) {
  const whole = new Uint8Array(fs.readFileSync(path.join(here, 'tc.linked.wasm')));
  const model = new Uint8Array(fs.readFileSync(file));
  const m = parse(whole), traced = await WebAssembly.compile(trim.traced(whole));
  const dims = await fixed(traced, model, asked);
  const tried = await trial(traced, model, dims);
  const all = keep ? keep === 'all' : tried.open;
  const small = form === 'snapshot' ? await snapshot(m, traced, model, dims, tried, all) : importer(m, dims, tried, all);
  const bytes = write(small), compiled = await WebAssembly.compile(bytes);
  const session = new InferenceSession(form === 'snapshot' ? await Module.start(compiled) : await loaded(compiled, model, dims));
  const results = await runs(session);
  if (!results.every((r, i) => same(r, tried.results[i])))
    throw new Error('the module for the model does not give what the whole module gives');
  fs.mkdirSync(folder, { recursive: true });
  const put = (name, data) => fs.writeFileSync(path.join(folder, name), data);
  put(form === 'snapshot' ? 'model.wasm' : 'tc.wasm', bytes);
  if (form === 'importer') put('model.onnx', model);
  for (const name of kScripts) fs.copyFileSync(path.join(here, name), path.join(folder, name));
  put('index.html', page(path.basename(file), form === 'snapshot' ? 'model.wasm' : 'model.onnx'));
  return { bytes, dims, functions: small.functions.length, of: m.functions.length };
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  try {
    const { files, ...options } = read(process.argv.slice(2));
    const { brotliCompressSync, gzipSync } = await import('node:zlib');
    const made = await make(...files, options);
    console.log(
      `${files[1]}: ${Object.entries(made.dims).map(([k, v]) => `${k} = ${v}, `).join('')}${made.functions} of ${made.of} functions; ${made.bytes.length} bytes, ` +
        `${gzipSync(made.bytes, { level: 9 }).length} by gzip, ${brotliCompressSync(made.bytes).length} by brotli`,
    );
  } catch (error) {
    console.error(`tc-web: ${error.message}`);
    process.exit(1);
  }
