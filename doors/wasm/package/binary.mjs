// WebAssembly modules as data: read, and written anew with fewer functions. Made for what clang and binaryen write: one
// memory, one table, numeric globals.

const text = new TextDecoder();

// Reads numbers as the format has them.
export class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  byte() {
    if (this.at >= this.bytes.length) throw new Error('the module ends within a number');
    return this.bytes[this.at++];
  }
  u32() {
    let result = 0;
    for (let shift = 0; ; shift += 7) {
      const b = this.byte();
      result |= (b & 127) << shift;
      if (b < 128) return result >>> 0;
    }
  }
  // A signed number of 32 bits.
  s32() {
    let result = 0;
    for (let shift = 0; ; shift += 7) {
      const b = this.byte();
      result |= (b & 127) << shift;
      if (b < 128) return shift < 25 && b & 64 ? result | (-1 << (shift + 7)) : result;
    }
  }
  // Past a number of any width.
  skip() {
    while (this.byte() > 127);
  }
  name() {
    const size = this.u32();
    return text.decode(this.bytes.subarray(this.at, (this.at += size)));
  }
}

// Bytes that grow.
export class Writer {
  #bytes = new Uint8Array(1 << 16);
  length = 0;
  #room(n) {
    if (this.length + n <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + n));
    larger.set(this.bytes());
    this.#bytes = larger;
  }
  byte(...list) {
    this.raw(list);
  }
  raw(bytes) {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }
  u32(x) {
    for (x >>>= 0; x > 127; x >>>= 7) this.byte((x & 127) | 128);
    this.byte(x);
  }
  s32(x) {
    for (; x < -64 || x > 63; x >>= 7) this.byte((x & 127) | 128);
    this.byte(x & 127);
  }
  name(s) {
    const bytes = new TextEncoder().encode(s);
    this.u32(bytes.length);
    this.raw(bytes);
  }
  bytes() {
    return this.#bytes.subarray(0, this.length);
  }
}

const kEnd = 0x0b;

const word = (bytes, at) => bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);

// Past the immediates of the instruction at the reader's place; see(kind, index, from, to) tells of a function that is
// named (by bytes [from, to)), a global, a type, a constant, or what
// is added to an address.
function step(r, see) {
  const op = r.byte();
  if (op >= 0x45 && op <= 0xc4) return op; // arithmetic
  const memory = () => {
    r.skip(); // alignment
    see('offset', r.u32(), r.at, r.at);
  };
  if (op >= 0x28 && op <= 0x3e) return memory(), op;
  const named = (kind) => {
    const from = r.at;
    see(kind, r.u32(), from, r.at);
  };
  switch (op) {
    case 0x02: case 0x03: case 0x04: case 0x06: // block, loop, if, try: the type of a block
      if (r.bytes[r.at] & 0x40 && r.bytes[r.at] < 128) r.at += 1;
      else named('type');
      break;
    case 0x10: case 0x12: case 0xd2: // call, return_call, ref.func
      named('function');
      break;
    case 0x11: case 0x13: // call_indirect
      named('called');
      r.skip();
      break;
    case 0x23: case 0x24:
      named('global');
      break;
    case 0x41: {
      const from = r.at;
      see('constant', r.s32(), from, r.at);
      break;
    }
    case 0x0e: // br_table
      for (let n = r.u32() + 1; n > 0; --n) r.skip();
      break;
    case 0x07: case 0x08: case 0x09: case 0x18: // catch, throw, rethrow, delegate
    case 0x0c: case 0x0d: case 0x20: case 0x21: case 0x22: case 0x25: case 0x26: case 0x3f: case 0x40: case 0x42: case 0xd0:
      r.skip();
      break;
    case 0x1c: // select of a type
      for (let n = r.u32(); n > 0; --n) r.skip();
      break;
    case 0x43: r.at += 4; break;
    case 0x44: r.at += 8; break;
    case 0xfc: {
      const n = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1][r.u32()];
      for (let i = 0; i < n; ++i) r.skip();
      break;
    }
    case 0xfd: {
      const simd = r.u32();
      if (simd <= 11 || simd === 92 || simd === 93) memory();
      else if (simd === 12) for (let i = 0; i < 4; ++i, r.at += 4) see('constant', word(r.bytes, r.at), r.at, r.at);
      else if (simd === 13) r.at += 16;
      else if (simd >= 21 && simd <= 34) r.at += 1;
      else if (simd >= 84 && simd <= 91) memory(), (r.at += 1);
      return 0xfd000 + simd;
    }
    default:
      if (![0x00, 0x01, 0x05, kEnd, 0x0f, 0x19, 0x1a, 0x1b, 0xd1].includes(op))
        throw new Error(`instruction 0x${op.toString(16)} at byte ${r.at - 1} is not known`);
  }
  return op;
}

// A constant expression of one number; undefined for one of another kind.
function constant(r) {
  const op = r.byte();
  let value;
  if (op === 0x41) value = r.s32();
  else if (op === 0x43) r.at += 4;
  else if (op === 0x44) r.at += 8;
  else r.skip();
  if (r.byte() !== kEnd) throw new Error('a constant expression of several instructions');
  return value;
}

const lists = {
  // types: kept as bytes, with where each begins
  1: (m, r) => {
    m.types = items(r, () => {
      const from = r.at;
      r.byte();
      for (let k = 0; k < 2; ++k) for (let n = r.u32(); n > 0; --n) r.byte();
      return r.bytes.subarray(from, r.at);
    });
  },
  2: (m, r) => {
    m.imports = items(r, () => {
      const from = r.at, entry = { module: r.name(), name: r.name(), kind: r.byte() };
      if (entry.kind !== 0) throw new Error(`the module imports ${entry.name}, which is no function`);
      return { ...entry, type: r.u32(), bytes: r.bytes.subarray(from, r.at) };
    });
  },
  3: (m, r) => (m.functions = items(r, () => r.u32())),
  4: (m, r) => (m.table = rest(r)),
  5: (m, r) => (m.memory = (r.u32(), { flags: r.byte(), initial: r.u32(), bytes: rest(r) })),
  6: (m, r) => {
    m.globals = items(r, () => {
      const type = r.byte(), mutable = r.byte() === 1, from = r.at;
      const value = constant(r);
      return { type, mutable, value, bytes: r.bytes.subarray(from, r.at) };
    });
  },
  7: (m, r) => (m.exports = items(r, () => ({ name: r.name(), kind: r.byte(), index: r.u32() }))),
  9: (m, r) => {
    m.elements = items(r, () => {
      if (r.u32() !== 0) throw new Error('a segment of the table that is not active');
      return { at: constant(r), functions: items(r, () => r.u32()) };
    });
  },
  10: (m, r) => {
    m.code = items(r, () => {
      const size = r.u32(), from = r.at;
      r.at += size;
      return r.bytes.subarray(from, from + size);
    });
  },
  11: (m, r) => {
    m.data = items(r, () => {
      const kind = r.u32(), at = kind === 0 ? constant(r) : undefined;
      const size = r.u32();
      return { at, bytes: r.bytes.subarray(r.at, (r.at += size)) };
    });
  },
  13: (m, r) => (m.tags = rest(r)),
};

function items(r, one) {
  return Array.from({ length: r.u32() }, one);
}
const rest = (r) => r.bytes.subarray(r.at);

// The module's sections as lists.
export function parse(bytes) {
  const m = { imports: [], globals: [], elements: [], data: [], tags: undefined, custom: [] };
  for (const r = new Reader(bytes, 8); r.at < bytes.length; ) {
    const id = r.byte(), size = r.u32();
    const section = new Reader(bytes.subarray(r.at, r.at + size));
    if (id === 0) m.custom.push({ name: section.name(), bytes: rest(section) });
    else lists[id]?.(m, section);
    r.at += size;
  }
  return m;
}

// Where the instructions of a body begin, after its variables.
export function instructions(body) {
  const r = new Reader(body);
  for (let n = r.u32(); n > 0; --n) r.skip(), r.byte();
  return r.at;
}

// Tells see() of all that a body names.
export function walk(body, see) {
  const r = new Reader(body, instructions(body));
  while (r.at < body.length) step(r, see);
}

// The instructions of a body, vectors' as 0xfd000 and their number, with where each begins.
export function* sequence(body) {
  const r = new Reader(body, instructions(body)), nothing = () => {};
  while (r.at < body.length) {
    const from = r.at, op = step(r, nothing);
    yield { op, from, to: r.at };
  }
}

const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

// The bytes of a module as parse() gives it.
export function write(m) {
  const out = new Writer();
  out.raw(header);
  const section = (id, fill) => {
    const w = new Writer();
    fill(w);
    out.byte(id);
    out.u32(w.length);
    out.raw(w.bytes());
  };
  const list = (id, entries, one) => {
    if (!entries.length) return;
    section(id, (w) => {
      w.u32(entries.length);
      for (const e of entries) one(w, e);
    });
  };
  const at = (w, x) => {
    w.byte(0x41);
    w.s32(x | 0);
    w.byte(kEnd);
  };
  list(1, m.types, (w, t) => w.raw(t));
  list(2, m.imports, (w, i) => w.raw(i.bytes));
  list(3, m.functions, (w, t) => w.u32(t));
  section(4, (w) => w.raw(m.table));
  section(5, (w) => {
    w.byte(1, m.memory.flags);
    w.u32(m.memory.initial);
    w.raw(m.memory.bytes);
  });
  if (m.tags) section(13, (w) => w.raw(m.tags));
  list(6, m.globals, (w, g) => {
    w.byte(g.type, g.mutable ? 1 : 0);
    if (g.value === undefined) w.raw(g.bytes);
    else at(w, g.value);
  });
  list(7, m.exports, (w, e) => {
    w.name(e.name);
    w.byte(e.kind);
    w.u32(e.index);
  });
  list(9, m.elements, (w, e) => {
    w.u32(0);
    at(w, e.at);
    w.u32(e.functions.length);
    for (const f of e.functions) w.u32(f);
  });
  list(10, m.code, (w, body) => {
    w.u32(body.length);
    w.raw(body);
  });
  list(11, m.data, (w, d) => {
    w.u32(d.at === undefined ? 1 : 0);
    if (d.at !== undefined) at(w, d.at);
    w.u32(d.bytes.length);
    w.raw(d.bytes);
  });
  for (const { name, bytes } of m.custom) section(0, (w) => (w.name(name), w.raw(bytes)));
  return out.bytes().slice();
}

// Replaces what a body names: at(kind, index) gives the index to write.
export function renamed(body, at) {
  const out = new Writer();
  let copied = 0;
  walk(body, (kind, index, from, to) => {
    if (kind === 'constant' || kind === 'offset') return;
    const now = at(kind, index);
    if (now === index) return;
    out.raw(body.subarray(copied, from));
    out.u32(now);
    copied = to;
  });
  out.raw(body.subarray(copied));
  return out.bytes().slice();
}
