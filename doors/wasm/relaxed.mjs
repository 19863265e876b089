// A module whose register tiles multiply and add by one instruction, which rounds once or twice as the machine likes:
// node relaxed.mjs NAMED PLAIN RELAXED
//
// NAMED is the optimised module with the names of its functions; PLAIN is the same without them. Only the tiles of
// products and convolutions are changed, which on other machines are made of fused multiply-adds, too; those of few sums,
// whose additions wait for each other, are not: there a fused one takes longer.
import fs from 'node:fs';
import { Reader, Writer, instructions, parse, sequence, write } from './package/binary.mjs';

const kMul = 0xfd0e6, kAdd = 0xfd0e4, kGet = 0x20, kSet = 0x21, kVector = 0x7b;
const kTiles = /tc::kernels::.*\b(product|tiles|micro_loop|small_tile|lines|dense|depthwise_square|add_product)</;

function namesOf(m) {
  const names = new Map(), bytes = m.custom.find((c) => c.name === 'name')?.bytes ?? new Uint8Array();
  for (const r = new Reader(bytes); r.at < bytes.length; ) {
    const id = r.byte(), size = r.u32(), end = r.at + size;
    if (id === 1) for (let n = r.u32(); n > 0; --n) names.set(r.u32(), r.name());
    r.at = end;
  }
  return names;
}

// The variables of a body: where they are written, how many there are.
function variables(m, type, body) {
  const parameters = new Reader(m.types[type], 1).u32(), r = new Reader(body);
  const groups = r.u32(), first = r.at;
  let count = parameters;
  for (let i = 0; i < groups; ++i) (count += r.u32()), r.byte();
  return { groups, first, count };
}

// Sums of a product by one instruction: c, a, b, multiply, add; and a, b, multiply, c, add.
function fused(m, type, body) {
  const { groups, first, count } = variables(m, type, body), begin = instructions(body), out = new Writer();
  out.u32(groups + 1);
  out.raw(body.subarray(first, begin));
  out.u32(3);
  out.byte(kVector);
  const madd = [0xfd, 0x85, 0x02];
  let copied = begin, changed = 0, before = [];
  const local = (op, i) => (out.byte(op), out.u32(count + i));
  for (const step of sequence(body)) {
    const [second, last] = before;
    if (step.op === kAdd && last?.op === kMul) {
      out.raw(body.subarray(copied, last.from));
      for (const i of [0, 1, 2]) local(kSet, i); // b, a, c
      for (const i of [1, 0, 2]) local(kGet, i);
      out.raw(madd);
      copied = step.to;
      ++changed;
    } else if (step.op === kAdd && last?.op === kGet && second?.op === kMul) {
      out.raw(body.subarray(copied, second.from));
      out.raw(body.subarray(last.from, last.to));
      out.raw(madd);
      copied = step.to;
      ++changed;
    }
    before = [last, step];
  }
  out.raw(body.subarray(copied));
  return { body: out.bytes().slice(), changed };
}

const [named, plain, relaxed] = process.argv.slice(2);
const m = parse(new Uint8Array(fs.readFileSync(named))), names = namesOf(m);
let functions = 0, changed = 0;
const code = m.code.map((body, i) => {
  if (!kTiles.test(names.get(m.imports.length + i) ?? '')) return body;
  const result = fused(m, m.functions[i], body);
  if (result.changed) ++functions, (changed += result.changed);
  return result.changed ? result.body : body;
});
if (!functions) throw new Error(`${named}: no function is a tile of a product`);
fs.writeFileSync(plain, write({ ...m, custom: [] }));
fs.writeFileSync(relaxed, write({ ...m, code, custom: [] }));
console.log(`${relaxed}: ${changed} multiply-adds in ${functions} functions`);
