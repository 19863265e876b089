// Tensors as onnxruntime-web has them.

const f16 = globalThis.Float16Array ?? Uint16Array;
// ONNX's code, name, and the array of its elements in the module. What has no number in JavaScript is its bits.
const rows = [
  [1, 'float32', Float32Array],
  [2, 'uint8', Uint8Array],
  [3, 'int8', Int8Array],
  [4, 'uint16', Uint16Array],
  [5, 'int16', Int16Array],
  [6, 'int32', Int32Array],
  [7, 'int64', BigInt64Array],
  [8, 'string', Array],
  [9, 'bool', Uint8Array],
  [10, 'float16', f16],
  [11, 'float64', Float64Array],
  [12, 'uint32', Uint32Array],
  [13, 'uint64', BigUint64Array],
  [14, 'complex64', Float32Array, 2],
  [15, 'complex128', Float64Array, 2],
  [16, 'bfloat16', Uint16Array],
  [17, 'float8e4m3fn', Uint8Array],
  [18, 'float8e4m3fnuz', Uint8Array],
  [19, 'float8e5m2', Uint8Array],
  [20, 'float8e5m2fnuz', Uint8Array],
  [21, 'uint4', Uint8Array],
  [22, 'int4', Int8Array],
  [23, 'float4e2m1', Uint8Array],
  [24, 'float8e8m0', Uint8Array],
  [25, 'uint2', Uint8Array],
  [26, 'int2', Int8Array],
].map(([code, name, array, per = 1]) => ({ code, name, array, per }));

const byKey = new Map(rows.flatMap((row) => [[row.code, row], [row.name, row]]));
// The row of a type by its code or name.
export const element = (key) => byKey.get(key);

const isBig = (array) => array === BigInt64Array || array === BigUint64Array;

function typeOf(data) {
  if (Array.isArray(data)) {
    const first = typeof data[0];
    if (first === 'string') return 'string';
    if (first === 'boolean') return 'bool';
    throw new TypeError(`a list of ${first} has no type of its own; say which`);
  }
  if (data instanceof Uint8ClampedArray) return 'uint8';
  const row = rows.find((r) => data instanceof r.array && r.per === 1 && r.array !== Array);
  if (!row) throw new TypeError(`no tensor can be made of ${Object.prototype.toString.call(data)}`);
  return row.name;
}

// The data as an array of the type.
function arranged(row, data) {
  if (row.array === Array) {
    if (!Array.isArray(data)) throw new TypeError("a string tensor's data must be a list of strings");
    return data;
  }
  if (Array.isArray(data)) {
    if (row.name === 'float16' && row.array === Uint16Array)
      throw new TypeError('float16 data must be a Uint16Array here: this runtime has no Float16Array');
    return isBig(row.array) ? row.array.from(data, BigInt) : row.array.from(data, Number);
  }
  if (data instanceof row.array) return data;
  const bits = row.name === 'float16' && data instanceof Uint16Array;
  if (bits) return new row.array(data.buffer, data.byteOffset, data.length);
  if (row.array === Uint8Array && (data instanceof Uint8ClampedArray || data instanceof Int8Array))
    return new Uint8Array(data.buffer, data.byteOffset, data.length);
  throw new TypeError(`a ${row.name} tensor's data must be ${row.array.name}`);
}

export class Tensor {
  // new Tensor(type, data, dims?) or new Tensor(data, dims?).
  constructor(...args) {
    const [type, data, dims] = typeof args[0] === 'string' ? args : [typeOf(args[0]), ...args];
    const row = element(type);
    if (!row) throw new TypeError(`unknown tensor type '${type}'`);
    this.type = row.name;
    this.data = arranged(row, data);
    const length = this.data.length / row.per;
    this.dims = Object.freeze(dims ? [...dims] : [length]);
    for (const d of this.dims)
      if (!Number.isSafeInteger(d) || d < 0) throw new RangeError(`a dimension is ${d}, expected a whole number`);
    this.size = this.dims.reduce((a, b) => a * b, 1);
    if (this.size !== length)
      throw new RangeError(`Tensor's size(${this.size}) does not match data length(${length}).`);
    this.location = 'cpu';
  }
  async getData() {
    return this.data;
  }
  dispose() {}
  reshape(dims) {
    return new Tensor(this.type, this.data, dims);
  }
}
