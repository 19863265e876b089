// A model without its large weights, which go into the module one by one: each is free as soon as it is packed, where
// views of one file would keep the whole of it.

const kLeast = 4096;
const kBytes = 2; // the wire type of bytes and messages
// Field numbers of ONNX's messages.
const model = { graph: 7 }, graph = { initializer: 5 }, tensor = { raw: 9, external: 13, location: 14 };

function* fields(bytes, begin, end) {
  let at = begin;
  const number = () => {
    for (let x = 0, unit = 1; ; unit *= 128) {
      if (at >= end || unit > 2 ** 56) throw new RangeError('damaged');
      const b = bytes[at++];
      x += (b & 127) * unit;
      if (b < 128) return x;
    }
  };
  while (at < end) {
    const from = at, key = number(), wire = key % 8;
    let value = at;
    if (wire === 0) number();
    else if (wire === 1) at += 8;
    else if (wire === kBytes) {
      const size = number();
      value = at;
      at += size;
    } else if (wire === 5) at += 4;
    else throw new RangeError('damaged');
    if (at > end) throw new RangeError('damaged');
    yield { id: Math.floor(key / 8), wire, from, value, end: at };
  }
}

const encoder = new TextEncoder();
const varint = (x) => {
  const out = [];
  for (; x > 127; x = Math.floor(x / 128)) out.push((x % 128) | 128);
  return Uint8Array.from([...out, x]);
};
const length = (parts) => parts.reduce((n, p) => n + p.length, 0);
const message = (id, parts) => [varint(id * 8 + kBytes), varint(length(parts)), ...parts];
const text = (id, s) => message(id, [encoder.encode(s)]);

// A tensor whose bytes are the file `name`.
function elsewhere(bytes, { value, end }, name) {
  const parts = [];
  let raw;
  for (const f of fields(bytes, value, end)) {
    if (f.id === tensor.external || f.id === tensor.location) return undefined;
    if (f.id === tensor.raw && f.wire === kBytes) raw = bytes.subarray(f.value, f.end);
    else parts.push(bytes.subarray(f.from, f.end));
  }
  if (!raw || raw.length < kLeast) return undefined;
  parts.push(...message(tensor.external, [...text(1, 'location'), ...text(2, name)]));
  parts.push(varint(tensor.location * 8), varint(1));
  return { parts, raw };
}

// {rest, weights: [[name, bytes]]}; the model as it is where it is damaged, which the importer tells of.
export function split(bytes) {
  const weights = [];
  try {
    const whole = [];
    for (const f of fields(bytes, 0, bytes.length)) {
      if (f.id !== model.graph || f.wire !== kBytes) {
        whole.push(bytes.subarray(f.from, f.end));
        continue;
      }
      const parts = [];
      for (const g of fields(bytes, f.value, f.end)) {
        const name = `tc-web.weight.${weights.length}`;
        const moved = g.id === graph.initializer && g.wire === kBytes ? elsewhere(bytes, g, name) : undefined;
        if (!moved) parts.push(bytes.subarray(g.from, g.end));
        else parts.push(...message(graph.initializer, moved.parts)), weights.push([name, moved.raw]);
      }
      whole.push(...message(model.graph, parts));
    }
    if (!weights.length) return { rest: bytes, weights };
    const rest = new Uint8Array(length(whole));
    let at = 0;
    for (const part of whole) rest.set(part, at), (at += part.length);
    return { rest, weights };
  } catch {
    return { rest: bytes, weights: [] };
  }
}
