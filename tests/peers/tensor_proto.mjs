// Reads one serialized TensorProto, as the ONNX backend tests store inputs and outputs; the result is as in npz.mjs.
import { typed, types } from './npz.mjs';

const onnxTypes = {
  1: 'float32', 2: 'uint8', 3: 'int8', 4: 'uint16', 5: 'int16', 6: 'int32', 7: 'int64', 8: 'string', 9: 'bool',
  10: 'float16', 11: 'float64', 12: 'uint32', 13: 'uint64',
};

function varint(bytes, at) {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const b = bytes[at++];
    value |= BigInt(b & 127) << shift;
    if (b < 128) return [BigInt.asIntN(64, value), at];
  }
}

// Field number -> list of payloads: a BigInt for a varint, bytes for everything else.
export function fieldsOf(bytes) {
  const fields = {};
  let key, value, at = 0;
  while (at < bytes.length) {
    [key, at] = varint(bytes, at);
    const wire = Number(key & 7n);
    let size = wire === 1 ? 8 : 4;
    if (wire === 0) {
      [value, at] = varint(bytes, at);
    } else {
      if (wire === 2) [size, at] = varint(bytes, at);
      value = bytes.subarray(at, (at += Number(size)));
    }
    (fields[Number(key >> 3n)] ??= []).push(value);
  }
  return fields;
}

// A repeated integer field, packed or not.
export function integers(payloads = []) {
  const values = [];
  for (const payload of payloads) {
    if (typeof payload === 'bigint') values.push(payload);
    else for (let at = 0, v; at < payload.length; values.push(v)) [v, at] = varint(payload, at);
  }
  return values;
}

export function parseTensorProto(bytes) {
  const field = fieldsOf(bytes);
  const dims = integers(field[1]).map(Number);
  const code = Number(field[2]?.[0] ?? 0n);
  const type = onnxTypes[code];
  if (!type) throw new Error(`ONNX Runtime's JS binding has no element type for ONNX's ${code}`);
  if (type === 'string') return { type, dims, data: (field[6] ?? []).map((s) => s.toString('utf8')) };
  const array = types[type][1];
  const stored = field[9] ?? { float32: field[4], float64: field[10] }[type];
  if (stored) return { type, dims, data: typed(array, Buffer.concat(stored)) };
  const values = integers(field[5] ?? field[7] ?? field[11]);
  const wide = array === BigInt64Array || array === BigUint64Array;
  return { type, dims, data: array.from(wide ? values : values.map(Number)) };
}
