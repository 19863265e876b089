// One instance of tc.wasm, its C functions (doors/wasm/session.h) as methods. A fault ends only it.
import { Tensor, element } from './tensor.mjs';
import { split } from './weights.mjs';

export class TcError extends Error {
  constructor(message, code) {
    super(message);
    this.name = 'TcError';
    this.code = code;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const kNotThere = 52; // WASI's ENOSYS

// What the C library asks of its system: time, chance, an empty environment, and where words go to.
function system(memory) {
  const view = () => new DataView(memory().buffer);
  return {
    clock_time_get(clock, _, at) {
      const ms = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
      return 0;
    },
    random_get(at, n) {
      for (let i = 0; i < n; i += 65536)
        crypto.getRandomValues(new Uint8Array(memory().buffer, at + i, Math.min(65536, n - i)));
      return 0;
    },
    environ_sizes_get(count, bytes) {
      view().setUint32(count, 0, true);
      view().setUint32(bytes, 0, true);
      return 0;
    },
    environ_get: () => 0,
    fd_write(fd, list, n, written) {
      let text = '';
      let total = 0;
      for (let i = 0; i < n; ++i) {
        const at = view().getUint32(list + 8 * i, true), size = view().getUint32(list + 8 * i + 4, true);
        text += decoder.decode(new Uint8Array(memory().buffer, at, size));
        total += size;
      }
      if (text.trim()) console.warn(text.trimEnd());
      view().setUint32(written, total, true);
      return 0;
    },
    proc_exit(status) {
      throw new Error(`the module ended with ${status}`);
    },
  };
}

export class Module {
  #c;
  #session;
  #fault;

  // see(exports) is told of the instance before anything runs in it.
  static async start(compiled, see) {
    const self = new Module();
    const imports = {};
    let exports;
    const calls = system(() => exports.memory);
    for (const { module, name } of WebAssembly.Module.imports(compiled))
      (imports[module] ??= {})[name] = calls[name] ?? (() => kNotThere);
    ({ exports } = await WebAssembly.instantiate(compiled, imports));
    see?.(exports);
    self.#c = exports;
    // A module for one model begins where its model was loaded.
    if (exports.tc_session) self.#session = exports.tc_session.value;
    else {
      exports._initialize();
      self.#session = self.#call('tc_create');
    }
    return self;
  }

  #call(name, ...args) {
    if (this.#fault) throw this.#fault;
    try {
      return this.#c[name](...args);
    } catch (error) {
      this.#fault = new TcError(`the session ended by a fault: ${error.message}`, 'internal');
      throw this.#fault;
    }
  }
  // Of functions that give 0 where they fail.
  #must(name, ...args) {
    const result = this.#call(name, ...args);
    if (!result) throw new TcError(this.#text(this.#c.tc_error()), this.#text(this.#c.tc_error_code()));
    return result >>> 0;
  }
  #bytes(at, size) {
    return new Uint8Array(this.#c.memory.buffer, at >>> 0, size);
  }
  #text(at) {
    const all = new Uint8Array(this.#c.memory.buffer);
    return decoder.decode(all.subarray(at >>> 0, all.indexOf(0, at >>> 0)));
  }
  #copyIn(bytes, more = 0) {
    const at = this.#must('tc_allocate', bytes.length + more);
    this.#bytes(at, bytes.length).set(bytes);
    return at;
  }
  // f(places of the texts), which are there while it runs.
  #withTexts(texts, f) {
    const places = [];
    try {
      for (const t of texts) places.push(this.#copyIn(encoder.encode(`${t}\0`)));
      return f(...places);
    } finally {
      for (const p of places) if (!this.#fault) this.#call('tc_free', p);
    }
  }
  #withExtents(dims, f) {
    const at = this.#must('tc_allocate', 8 * dims.length);
    try {
      new Float64Array(this.#c.memory.buffer, at, dims.length).set(dims);
      return f(at);
    } finally {
      if (!this.#fault) this.#call('tc_free', at);
    }
  }

  set(key, value) {
    this.#withTexts([key, value], (k, v) => this.#must('tc_set', this.#session, k, v));
  }
  addFile(location, bytes) {
    const data = this.#copyIn(bytes, bytes.length >> 20 ? 16384 : 0);
    this.#withTexts([location], (name) => this.#must('tc_add_file', this.#session, name, data, bytes.length));
  }
  load(bytes) {
    const { rest, weights } = split(bytes);
    for (const [name, data] of weights) this.addFile(name, data);
    this.#must('tc_load', this.#session, this.#copyIn(rest), rest.length);
  }
  // Of the session in the module's memory.
  get place() {
    return this.#session;
  }
  describe() {
    return JSON.parse(this.#text(this.#must('tc_describe', this.#session)));
  }

  setInput(place, value, name) {
    const row = value && !Array.isArray(value) ? element(value.type) : undefined;
    if (row && row.array !== Array && this.#overwrite(place, row, value)) return;
    this.#push(value, name);
    this.#must('tc_set_input', this.#session, place);
  }
  // Fills in the tensor that the input has, where it has the type and extents.
  #overwrite(place, row, { data, dims }) {
    const at = this.#withExtents(dims, (e) => this.#call('tc_input_data', this.#session, place, row.code, dims.length, e));
    if (at) this.#fill(at, row, data);
    return at !== 0;
  }
  #fill(at, row, data) {
    this.#bytes(at, data.byteLength).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  #push(value, name) {
    if (value === null) return this.#must('tc_push_none', this.#session);
    if (Array.isArray(value)) {
      for (const item of value) this.#push(item, name);
      return this.#must('tc_push_sequence', this.#session, value.length);
    }
    const row = element(value.type);
    if (!row || !value.data || !value.dims) throw new TypeError(`input '${name}' is no tensor`);
    const at = this.#withExtents(value.dims, (e) => this.#must('tc_push_tensor', this.#session, row.code, value.dims.length, e));
    if (row.array !== Array) return this.#fill(at, row, value.data);
    value.data.forEach((text, i) => {
      const bytes = encoder.encode(text);
      const p = this.#copyIn(bytes);
      this.#must('tc_set_text', this.#session, i, p, bytes.length);
      this.#call('tc_free', p);
    });
  }
  feedBack(input, output) {
    this.#must('tc_feed_back', this.#session, input, output);
  }

  run() {
    this.#must('tc_run', this.#session);
  }
  // An output as a tensor (sequences as lists, maps as Maps, nothing as null); in the data of `into` where that is given.
  output(place, into) {
    return this.#value(this.#must('tc_output', this.#session, place), into);
  }
  #value(v, into) {
    const kind = this.#call('tc_kind', v);
    if (kind === 0) return null;
    if (kind === 1) return this.#tensor(v, into);
    const places = Array.from({ length: this.#call('tc_count', v) }, (_, i) => i);
    const items = places.map((i) => this.#value(this.#call('tc_item', v, i)));
    if (kind === 2) return items;
    return new Map(
      places.map((i) => {
        const key = this.#text(this.#must('tc_key', v, i));
        return [this.#call('tc_key_is_text', v, i) ? key : BigInt(key), items[i]];
      }),
    );
  }
  #tensor(v, into) {
    const row = element(this.#call('tc_type', v));
    const dims = Array.from({ length: this.#call('tc_rank', v) }, (_, i) => this.#call('tc_extent', v, i));
    const count = dims.reduce((a, b) => a * b, 1) * row.per;
    if (row.array === Array) {
      const texts = Array.from({ length: count }, (_, i) =>
        decoder.decode(this.#bytes(this.#call('tc_text', v, i), this.#call('tc_text_bytes', v, i))),
      );
      return new Tensor(row.name, texts, dims);
    }
    const from = new row.array(this.#c.memory.buffer, this.#call('tc_data', v) >>> 0, count);
    if (!into) return new Tensor(row.name, from.slice(), dims);
    if (into.type !== row.name || into.data.length !== count)
      throw new RangeError(`the output is ${row.name} [${dims}], the tensor for it ${into.type} [${into.dims}]`);
    into.data.set(from);
    return into;
  }

  profile(on) {
    this.#call('tc_profile', this.#session, on ? 1 : 0);
  }
  profiled() {
    return JSON.parse(this.#text(this.#must('tc_profiled', this.#session)));
  }
  get memory() {
    return this.#c?.memory.buffer.byteLength ?? 0;
  }
  release() {
    if (!this.#fault && this.#c.tc_release) this.#call('tc_release', this.#session);
    this.#fault = new TcError('the session is released', 'bad-argument');
    this.#c = undefined;
  }
}
