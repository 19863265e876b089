// What a module's memory still holds of use: a search from the code and the session for all that words point at, which
// takes every number for an address. Allocations that nobody reaches are freed; what is free, or nobody's, becomes zero.
import { walk } from './binary.mjs';

// The heap of wasi-libc: chunks of a word of the chunk before, a word of size and marks, and the contents.
const kHead = 4, kContents = 8, kInUse = 2, kMarks = 7, kLinks = 32, kTopFoot = 64;

function* chunks(memory, begin) {
  const words = new Uint32Array(memory.buffer);
  for (let at = begin; at + kTopFoot < memory.length; ) {
    const head = words[(at + kHead) >> 2], size = head & ~kMarks;
    if (size < 16 || size % 8 || at + size > memory.length) throw new Error(`the heap is not as expected at ${at}`);
    yield { at, size, used: (head & kInUse) !== 0 };
    at += size;
  }
}

// Objects as sorted places: symbols of the linker's map, every text of its merged ones, allocations.
function objects(memory, symbols, heap) {
  const list = [];
  for (const [begin, end, kind] of symbols) {
    if (kind !== 's') {
      list.push({ begin, end, table: kind === 't', facts: kind === 'f' });
      continue;
    }
    for (let at = begin; at < end; ) {
      const zero = memory.indexOf(0, at), next = zero < 0 || zero >= end ? end : zero + 1;
      list.push({ begin: at, end: next });
      at = next;
    }
  }
  for (const c of heap === undefined ? [] : chunks(memory, heap))
    if (c.used) list.push({ begin: c.at + kContents, end: c.at + c.size + kHead, chunk: true });
  return list.sort((a, b) => a.begin - b.begin);
}

// The object that begins last at or before the place.
function before(list, place) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].begin <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// Compilers write `table - 4 * first` for a table that begins at another index.
const kBefore = 512;

// ops: names of those whose facts (ir/op.h) are of use; the table of all names every one.
function mark(list, memory, bodies, roots, ops) {
  const todo = [], words = new Uint32Array(memory.buffer), text = new TextDecoder();
  const nameAt = (i) => text.decode(memory.subarray(words[i], words[i] + words[i + 1]));
  const reach = (o) => {
    if (!o || o.reached || (o.facts && ops && !ops.has(nameAt(o.begin >> 2)))) return;
    o.reached = true;
    todo.push(o);
  };
  const point = (place) => {
    const o = list[before(list, place)];
    if (o && place < o.end) reach(o);
  };
  const lowest = list[0].begin, highest = list.at(-1).end;
  for (const place of roots) point(place);
  for (const body of bodies)
    walk(body, (kind, place) => {
      if ((kind !== 'constant' && kind !== 'offset') || place < lowest - kBefore || place > highest) return;
      point(place);
      point(place - 1);
      for (let i = before(list, place) + 1; i < list.length && list[i].begin <= place + kBefore; ++i)
        if (list[i].table) reach(list[i]);
    });
  while (todo.length) {
    const o = todo.pop();
    for (let at = (o.begin + 3) >> 2; at << 2 <= o.end - 4; ++at) if (words[at] >= lowest) point(words[at]);
  }
}

const firstChunk = (exports) => ((exports.__heap_base.value + kContents + 15) & ~15) - kContents;

// Of the data that a module begins with, in memory.
export function sweepData(memory, symbols, bodies) {
  const list = objects(memory, symbols);
  mark(list, memory, bodies, []);
  for (const o of list) if (!o.reached) memory.fill(0, o.begin, o.end);
}

// Of an instance that nothing runs in any more. Gives how many bytes of it were freed.
export function sweep(exports, symbols, bodies, session, ops) {
  const memory = new Uint8Array(exports.memory.buffer), first = firstChunk(exports);
  const list = objects(memory, symbols, first);
  mark(list, memory, bodies, [session], ops);
  let freed = 0;
  for (const o of list) {
    if (o.reached) continue;
    if (o.chunk) (freed += o.end - o.begin), exports.tc_free(o.begin);
    else memory.fill(0, o.begin, o.end);
  }
  for (const c of chunks(memory, first)) if (!c.used) memory.fill(0, Math.min(c.at + kLinks, c.at + c.size), c.at + c.size);
  return freed;
}
