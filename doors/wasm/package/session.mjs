// A session in the thread that makes it.
import { Module } from './module.mjs';
import { Tensor, element } from './tensor.mjs';

export { Tensor };

export const env = {
  wasm: { numThreads: 1, simd: true, proxy: false, wasmPaths: undefined, wasmBinary: undefined },
  webgl: {},
  webgpu: {},
  versions: { common: '0.1.0', web: '0.1.0' },
  logLevel: 'warning',
  debug: false,
};

const levels = { disabled: 0, basic: 1, extended: 2, layout: 2, all: 2 };

// The bytes behind a path or URL.
async function read(from, onProgress) {
  const node = globalThis.process?.versions?.node;
  if (node && !/^(https?|data|blob):/.test(from)) {
    const fs = 'node:fs/promises';
    const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ fs);
    return readFile(/^file:/.test(from) ? new URL(from) : from);
  }
  const response = await fetch(from);
  if (!response.ok) throw new Error(`${from}: ${response.status} ${response.statusText}`);
  if (!onProgress || !response.body) return new Uint8Array(await response.arrayBuffer());
  const total = Number(response.headers.get('content-length')) || undefined;
  const parts = [];
  let loaded = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    onProgress({ loaded: (loaded += value.length), total });
  }
  const bytes = new Uint8Array(loaded);
  for (let part, at = 0; (part = parts.shift()); at += part.length) bytes.set(part, at);
  return bytes;
}

const bytesOf = (data) =>
  ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
const isBuffer = (x) => x instanceof ArrayBuffer || (globalThis.SharedArrayBuffer && x instanceof SharedArrayBuffer);

const isModule = (bytes) => bytes instanceof Uint8Array && String(bytes.subarray(0, 4)) === '0,97,115,109';

let compiled; // the module, once for all sessions

async function compileFrom(url) {
  if (WebAssembly.compileStreaming && /^https?:/.test(new URL(url, globalThis.location?.href ?? import.meta.url)))
    try {
      return await WebAssembly.compileStreaming(fetch(url));
    } catch {}
  return WebAssembly.compile(await read(String(url)));
}

const relaxed = 'AGFzbQEAAAABBgFgAXsBewMCAQAKDQELACAAIAAgAP2FAgs=';

async function compile() {
  const { wasmBinary, wasmPaths } = env.wasm;
  if (wasmBinary) return WebAssembly.compile(wasmBinary);
  const plain = () => compileFrom(new URL('./tc.wasm', import.meta.url).href);
  const faster = env.wasm.relaxed !== false && WebAssembly.validate(Uint8Array.from(atob(relaxed), (c) => c.charCodeAt(0)));
  const own = () => (faster ? compileFrom(new URL('./tc.relaxed.wasm', import.meta.url).href).catch(plain) : plain());
  const asked = typeof wasmPaths === 'string' ? `${wasmPaths.replace(/\/?$/, '/')}tc.wasm` : wasmPaths?.wasm;
  if (!asked) return own();
  return compileFrom(String(asked)).catch(own);
}

function metadata(entry) {
  const { name, kind } = entry;
  if (kind !== 'tensor') return { name, isTensor: false, kind, type: element(entry.type)?.name };
  return { name, isTensor: true, type: element(entry.type).name, shape: entry.shape ?? [] };
}

export class InferenceSession {
  #module;
  #inputs = new Map();
  #outputs = new Map();
  #given = new Set();

  constructor(module) {
    this.#module = module;
    const { inputs, outputs } = module.describe();
    this.inputMetadata = inputs.map(metadata);
    this.outputMetadata = outputs.map(metadata);
    inputs.forEach((e, i) => this.#inputs.set(e.name, i));
    outputs.forEach((e, i) => this.#outputs.set(e.name, i));
    this.inputNames = [...this.#inputs.keys()];
    this.outputNames = [...this.#outputs.keys()];
  }

  // (path, URL or bytes, options?) or (buffer, offset, length?, options?)
  static async create(model, ...rest) {
    const options = (typeof rest.at(-1) === 'object' && rest.at(-1)) || {};
    let bytes;
    if (typeof model === 'string' || model instanceof URL) bytes = read(String(model), options.onProgress);
    else if (ArrayBuffer.isView(model)) bytes = bytesOf(model);
    else if (isBuffer(model))
      bytes = new Uint8Array(model, ...rest.slice(0, 2).filter((x) => typeof x === 'number'));
    else throw new TypeError("InferenceSession.create takes a path, a URL or the model's bytes");
    if (isModule(bytes) || (!ArrayBuffer.isView(model) && !isBuffer(model) && /\.wasm$/.test(String(model))))
      return new this(await Module.start(await WebAssembly.compile(await bytes)));
    compiled ??= compile();
    compiled.catch(() => (compiled = undefined));
    const [wasm, data] = await Promise.all([compiled, bytes]);
    const module = await Module.start(wasm);
    if (options.graphOptimizationLevel !== undefined) {
      const level = levels[options.graphOptimizationLevel];
      if (level === undefined) throw new Error(`unknown optimisation level '${options.graphOptimizationLevel}'`);
      module.set('level', level);
    }
    // Extents that the module was made for.
    const [made] = WebAssembly.Module.customSections(wasm, 'tc.dims');
    const extents = { ...options.freeDimensionOverrides, ...(made && JSON.parse(new TextDecoder().decode(made))) };
    for (const [name, extent] of Object.entries(extents)) module.set(`dim:${name}`, extent);
    for (const key of ['seed', 'max_memory', 'max_steps', 'nonfinite'])
      if (options.tc?.[key] !== undefined) module.set(key, options.tc[key] === true ? 1 : options.tc[key] || 0);
    for (const file of options.externalData ?? []) {
      const entry = typeof file === 'string' ? { path: file, data: file } : file;
      const contents = typeof entry.data === 'string' ? await read(entry.data) : entry.data;
      module.addFile(entry.path, contents instanceof Blob ? new Uint8Array(await contents.arrayBuffer()) : bytesOf(contents));
    }
    module.load(data);
    return new this(module);
  }

  #feed(feeds, optional) {
    if (typeof feeds !== 'object' || feeds === null || typeof feeds.type === 'string')
      throw new TypeError("'feeds' must be an object that has input names as keys and tensors as values.");
    for (const [name, value] of Object.entries(feeds)) {
      const place = this.#inputs.get(name);
      if (place === undefined) throw new RangeError(`'${name}' is no input; there are: ${this.inputNames.join(', ')}`);
      if (value === undefined) throw new TypeError(`input '${name}' is undefined`);
      this.#module.setInput(place, value, name);
      this.#given.add(name);
    }
    for (const { name, kind } of this.inputMetadata)
      if (!(name in feeds) && !(optional && this.#given.has(name)) && kind !== 'optional')
        throw new Error(`input '${name}' is missing in 'feeds'.`);
  }

  #fetch(fetches) {
    const result = {};
    const names = Array.isArray(fetches) ? fetches : fetches ? Object.keys(fetches) : this.outputNames;
    for (const name of names) {
      const place = this.#outputs.get(name);
      if (place === undefined) throw new RangeError(`'${name}' is no output; there are: ${this.outputNames.join(', ')}`);
      const wanted = Array.isArray(fetches) ? undefined : fetches?.[name];
      result[name] = this.#module.output(place, wanted);
    }
    return result;
  }

  runSync(feeds, fetches) {
    this.#feed(feeds, false);
    this.#module.run();
    return this.#fetch(fetches);
  }

  // run(feeds, fetches?, options?): fetches are names of outputs, or tensors to fill by name.
  async run(feeds, fetches) {
    const named = fetches && (Array.isArray(fetches) || Object.keys(fetches).some((k) => this.#outputs.has(k)));
    return this.runSync(feeds, named ? fetches : undefined);
  }

  // Outputs new_NAME are the inputs NAME of the next call, which may leave them out.
  async trainStep(feeds) {
    this.#feed(feeds, true);
    this.#module.run();
    const others = this.outputNames.filter((name) => !this.#stateOf(name));
    const result = this.#fetch(others);
    for (const name of this.outputNames) {
      const input = this.#stateOf(name);
      if (!input) continue;
      this.#module.feedBack(this.#inputs.get(input), this.#outputs.get(name));
      this.#given.add(input);
    }
    return result;
  }
  #stateOf(output) {
    const input = output.startsWith('new_') ? output.slice(4) : '';
    return this.#inputs.has(input) ? input : '';
  }
  // The state after the last trainStep, by the names of the inputs.
  state() {
    return Object.fromEntries(
      this.outputNames.filter((n) => this.#stateOf(n)).map((n) => [this.#stateOf(n), this.#module.output(this.#outputs.get(n))]),
    );
  }

  // A run, and what its steps took: {outputs, steps: [{op, node, kernel, ms, ...}]}.
  async profile(feeds) {
    this.#module.profile(true);
    try {
      const outputs = this.runSync(feeds);
      return { outputs, steps: this.#module.profiled() };
    } finally {
      this.#module.profile(false);
    }
  }
  startProfiling() {}
  endProfiling() {}

  // Bytes of the session's memory.
  get memory() {
    return this.#module.memory;
  }

  async release() {
    this.#module.release();
  }
}
