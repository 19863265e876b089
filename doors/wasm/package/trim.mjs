// Smaller modules: which functions a trial calls, and a module of these alone.
import { Writer, instructions, parse, renamed, walk, write } from './binary.mjs';

const kGlobal = 3, kI32 = 0x7f;

// The module with a mark per function, which the function sets, and all variables exported: what called() and
// variables() read of an instance.
export function traced(bytes) {
  const m = parse(bytes), first = m.globals.length;
  const exports = [...m.exports];
  m.globals.forEach((_, i) => exports.push({ name: `global ${i}`, kind: kGlobal, index: i }));
  m.code.forEach((_, i) => exports.push({ name: `called ${i}`, kind: kGlobal, index: first + i }));
  const code = m.code.map((body, i) => {
    const at = instructions(body), w = new Writer();
    w.raw(body.subarray(0, at));
    w.byte(0x41, 1, 0x24); // i32.const 1, global.set
    w.u32(first + i);
    w.raw(body.subarray(at));
    return w.bytes().slice();
  });
  const globals = [...m.globals, ...m.code.map(() => ({ type: kI32, mutable: true, value: 0 }))];
  return write({ ...m, globals, exports, code, custom: [] });
}

export const called = (exports) => {
  const result = [];
  for (let i = 0; exports[`called ${i}`]; ++i) result.push(exports[`called ${i}`].value === 1);
  return result;
};
export const forget = (exports) => {
  for (let i = 0; exports[`called ${i}`]; ++i) exports[`called ${i}`].value = 0;
};
export const variables = (exports) => {
  const result = [];
  for (let i = 0; exports[`global ${i}`]; ++i) result.push(exports[`global ${i}`].value);
  return result;
};

// With all that they call by name. Calls through the table are those that the trial made.
export function closed(m, functions) {
  const on = [...functions], from = m.imports.length;
  const todo = on.flatMap((kept, i) => (kept ? [i] : []));
  while (todo.length)
    walk(m.code[todo.pop()], (kind, index) => {
      if (kind !== 'function' || index < from || on[index - from]) return;
      on[index - from] = true;
      todo.push(index - from);
    });
  return on;
}

// The memory between runs of zeros, as segments.
export function segments(memory, begin) {
  const result = [], gap = 24;
  const words = new Uint32Array(memory.buffer, memory.byteOffset, memory.length >> 2);
  let from = -1, last = -1;
  const put = () => from >= 0 && result.push({ at: from << 2, bytes: memory.slice(from << 2, (last + 1) << 2) });
  for (let i = begin >> 2; i < words.length; ++i) {
    if (words[i] === 0) continue;
    if (from < 0 || i - last > gap >> 2) put(), (from = i);
    last = i;
  }
  put();
  return result;
}

// A module of the functions that are kept, under new numbers. Others that they name trap, as do the table's.
export function trimmed(m, kept, exports) {
  const from = m.imports.length;
  const calls = new Set(), stubs = new Map();
  m.code.forEach((body, i) => {
    if (kept[i]) walk(body, (kind, index) => kind === 'function' && calls.add(index));
  });
  const imports = m.imports.filter((_, i) => calls.has(i));
  const numbers = new Map();
  m.imports.forEach((_, i) => calls.has(i) && numbers.set(i, numbers.size));
  m.code.forEach((_, i) => kept[i] && numbers.set(from + i, numbers.size));
  const trap = new Uint8Array([0, 0, 0x0b]);
  const functions = m.functions.filter((_, i) => kept[i]), code = m.code.filter((_, i) => kept[i]);
  for (const index of calls) {
    if (numbers.has(index)) continue;
    const type = m.functions[index - from];
    if (!stubs.has(type)) {
      stubs.set(type, imports.length + functions.length);
      functions.push(type);
      code.push(trap);
    }
    numbers.set(index, stubs.get(type));
  }
  const at = (kind, index) => (kind === 'function' ? numbers.get(index) : index);
  const elements = [];
  for (const segment of m.elements) {
    let run;
    segment.functions.forEach((f, i) => {
      if (f >= from && !kept[f - from]) return (run = undefined);
      if (!run) elements.push((run = { at: segment.at + i, functions: [] }));
      run.functions.push(numbers.get(f));
    });
  }
  return {
    ...m,
    imports,
    functions,
    code: code.map((body) => renamed(body, at)),
    elements,
    exports: exports.map((e) => (e.kind === 0 ? { ...e, index: numbers.get(e.index) } : e)),
    custom: [],
  };
}
