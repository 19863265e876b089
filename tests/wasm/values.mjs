// Values of ONNX's backend cases as tc-web has them, and comparing results with what is expected.
import { fieldsOf, integers } from '../peers/tensor_proto.mjs';

// ONNX's code -> the type's name, the array of its elements, and bits of one in a file where that is less than a byte.
const types = {
  1: ['float32', Float32Array], 2: ['uint8', Uint8Array], 3: ['int8', Int8Array], 4: ['uint16', Uint16Array],
  5: ['int16', Int16Array], 6: ['int32', Int32Array], 7: ['int64', BigInt64Array], 8: ['string', Array],
  9: ['bool', Uint8Array], 10: ['float16', Uint16Array], 11: ['float64', Float64Array], 12: ['uint32', Uint32Array],
  13: ['uint64', BigUint64Array], 14: ['complex64', Float32Array], 15: ['complex128', Float64Array],
  16: ['bfloat16', Uint16Array], 17: ['float8e4m3fn', Uint8Array], 18: ['float8e4m3fnuz', Uint8Array],
  19: ['float8e5m2', Uint8Array], 20: ['float8e5m2fnuz', Uint8Array], 21: ['uint4', Uint8Array, 4],
  22: ['int4', Int8Array, 4], 23: ['float4e2m1', Uint8Array, 4], 24: ['float8e8m0', Uint8Array],
  25: ['uint2', Uint8Array, 2], 26: ['int2', Int8Array, 2],
};

const copied = (array, bytes) => new array(Uint8Array.from(bytes).buffer);

// Elements of `bits` bits, the lowest first, one a byte.
function spread(array, bits, bytes, count) {
  const per = 8 / bits;
  const signed = array === Int8Array;
  return array.from({ length: count }, (_, i) => {
    const v = (bytes[Math.floor(i / per)] >> (bits * (i % per))) & ((1 << bits) - 1);
    return signed && v >> (bits - 1) ? v - (1 << bits) : v;
  });
}

export function parseTensor(bytes) {
  const field = fieldsOf(bytes);
  const dims = integers(field[1]).map(Number);
  const code = Number(field[2]?.[0] ?? 0n);
  const [type, array, bits] = types[code] ?? [];
  if (!type) throw new Error(`element type ${code}`);
  const count = dims.reduce((a, b) => a * b, 1);
  if (type === 'string') return { type, dims, data: (field[6] ?? []).map((s) => s.toString('utf8')) };
  const raw = field[9] && Buffer.concat(field[9]);
  if (raw) return { type, dims, data: bits ? spread(array, bits, raw, count) : copied(array, raw) };
  const stored = { Float32Array: field[4], Float64Array: field[10] }[array.name];
  if (stored) return { type, dims, data: copied(array, Buffer.concat(stored)) };
  const values = integers(field[5] ?? field[7] ?? field[11]);
  if (bits) return { type, dims, data: spread(array, bits, Uint8Array.from(values, Number), count) };
  const wide = array === BigInt64Array || array === BigUint64Array;
  return { type, dims, data: array.from(wide ? values : values.map(Number)) };
}

function parseSequence(bytes) {
  const field = fieldsOf(bytes);
  return [...(field[3] ?? []).map(parseTensor), ...(field[5] ?? []).map(parseSequence)];
}

function parseOptional(bytes) {
  const field = fieldsOf(bytes);
  if (field[3]) return parseTensor(field[3][0]);
  return field[5] ? parseSequence(field[5][0]) : null;
}

// `kind` as in a session's metadata.
export function parseValue(bytes, { isTensor, kind }) {
  return isTensor ? parseTensor(bytes) : kind === 'sequence' ? parseSequence(bytes) : parseOptional(bytes);
}

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
}
const bfloat = (bits) => new Float32Array(Uint32Array.of(bits << 16).buffer)[0];

// Elements as numbers, of types that are compared with a tolerance.
export function numbers({ type, data }) {
  if (/^(float32|float64|complex)/.test(type)) return data;
  if (type === 'bfloat16') return Array.from(data, bfloat);
  if (type === 'float16') return data instanceof Uint16Array ? Array.from(data, half) : data;
  return null;
}

// Empty, or how `got` differs: floating elements by more than rtol |expected| + atol + atolOfMax max |expected|.
export function difference(got, expected, { rtol = 1e-3, atol = 1e-7, atolOfMax = 0 } = {}) {
  if (expected === null || got === null) return expected === got ? '' : `expected ${expected}, got ${got}`;
  if (Array.isArray(expected)) {
    if (!Array.isArray(got) || got.length !== expected.length) return `expected ${expected.length} values`;
    return expected.map((e, i) => difference(got[i], e, { rtol, atol, atolOfMax })).find((d) => d) ?? '';
  }
  if (got.type !== expected.type) return `expected ${expected.type}, got ${got.type}`;
  if (`${got.dims}` !== `${expected.dims}`) return `expected [${expected.dims}], got [${got.dims}]`;
  if (got.data.length !== expected.data.length) return `${got.data.length} elements, expected ${expected.data.length}`;
  const e = numbers(expected), g = numbers(got);
  if (!e) {
    const at = Array.from(expected.data).findIndex((v, i) => v !== got.data[i]);
    return at < 0 ? '' : `element ${at} is ${got.data[at]}, expected ${expected.data[at]}`;
  }
  let most = 0;
  for (const v of e) if (Number.isFinite(v)) most = Math.max(most, Math.abs(v));
  for (let i = 0; i < e.length; ++i) {
    if (Object.is(e[i], g[i]) || e[i] === g[i]) continue;
    if (!(Math.abs(e[i] - g[i]) <= rtol * Math.abs(e[i]) + atol + atolOfMax * most) || !Number.isFinite(e[i]))
      return `element ${i} is ${g[i]}, expected ${e[i]}`;
  }
  return '';
}
