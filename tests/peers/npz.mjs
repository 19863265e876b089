// .npz files: a zip of .npy members, as numpy writes them. An array is {type, dims, data} with ONNX Runtime's type names;
// data is a typed array, or an array of strings. Members are little-endian and in C order; everything else is refused.
import fs from 'node:fs';
import zlib from 'node:zlib';

export const types = {
  float32: ['<f4', Float32Array],
  float64: ['<f8', Float64Array],
  float16: ['<f2', Uint16Array],
  int8: ['|i1', Int8Array],
  uint8: ['|u1', Uint8Array],
  int16: ['<i2', Int16Array],
  uint16: ['<u2', Uint16Array],
  int32: ['<i4', Int32Array],
  uint32: ['<u4', Uint32Array],
  int64: ['<i8', BigInt64Array],
  uint64: ['<u8', BigUint64Array],
  bool: ['|b1', Uint8Array],
};

// A typed array over a copy of the bytes, which makes it aligned.
export const typed = (constructor, bytes) => new constructor(Uint8Array.from(bytes).buffer);

export function parseNpy(bytes) {
  if (bytes.toString('latin1', 0, 6) !== '\x93NUMPY') throw new Error('not a .npy file');
  const wide = bytes[6] >= 2;
  const begin = wide ? 12 : 10;
  const end = begin + (wide ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8));
  const header = bytes.toString('latin1', begin, end);
  const descr = /'descr': '([^']*)'/.exec(header)?.[1];
  if (!/'fortran_order': False/.test(header)) throw new Error('a .npy file in Fortran order');
  const dims = /'shape': \(([^)]*)\)/.exec(header)[1].split(',').filter((d) => d.trim()).map(Number);
  const count = dims.reduce((a, b) => a * b, 1);
  const text = /^<U(\d+)$/.exec(descr);
  if (text) {
    const width = Number(text[1]);
    const data = Array.from({ length: count }, (_, i) => {
      let s = '';
      for (let k = 0; k < width; k++) s += String.fromCodePoint(bytes.readUInt32LE(end + 4 * (i * width + k)));
      return s.replace(/\0+$/, '');
    });
    return { type: 'string', dims, data };
  }
  const type = Object.keys(types).find((t) => types[t][0] === descr);
  if (!type) throw new Error(`a .npy file of type ${descr}`);
  const size = count * types[type][1].BYTES_PER_ELEMENT;
  return { type, dims, data: typed(types[type][1], bytes.subarray(end, end + size)) };
}

export function formatNpy({ type, dims, data }) {
  let descr, body;
  if (type === 'string') {
    const points = data.map((s) => Array.from(s, (c) => c.codePointAt(0)));
    const width = Math.max(1, ...points.map((p) => p.length));
    descr = `<U${width}`;
    body = Buffer.alloc(4 * width * points.length);
    points.forEach((p, i) => p.forEach((c, k) => body.writeUInt32LE(c, 4 * (i * width + k))));
  } else {
    if (!types[type]) throw new Error(`no .npy type for ${type}`);
    descr = types[type][0];
    body = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  }
  const shape = dims.length === 1 ? `(${dims[0]},)` : `(${dims.join(', ')})`;
  let header = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`;
  header += ' '.repeat(63 - ((10 + header.length) % 64)) + '\n';
  const lead = Buffer.from('\x93NUMPY\x01\x00..', 'latin1');
  lead.writeUInt16LE(header.length, 8);
  return Buffer.concat([lead, Buffer.from(header, 'latin1'), body]);
}

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});
const crc32 = (bytes) => ~bytes.reduce((c, b) => crcTable[(c ^ b) & 255] ^ (c >>> 8), -1) >>> 0;

export function readNpz(path) {
  const zip = fs.readFileSync(path);
  const tail = zip.lastIndexOf('PK\x05\x06');
  if (tail < 0) throw new Error(`${path}: not a zip file`);
  const arrays = {};
  let at = zip.readUInt32LE(tail + 16);
  for (let left = zip.readUInt16LE(tail + 10); left > 0; left--) {
    const method = zip.readUInt16LE(at + 10);
    const size = zip.readUInt32LE(at + 20);
    const nameEnd = at + 46 + zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + 46, nameEnd);
    const local = zip.readUInt32LE(at + 42);
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const stored = zip.subarray(begin, begin + size);
    arrays[name.replace(/\.npy$/, '')] = parseNpy(method === 8 ? zlib.inflateRawSync(stored) : stored);
    at = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return arrays;
}

export function writeNpz(path, arrays) {
  const members = [];
  const directory = [];
  let offset = 0;
  for (const [key, array] of Object.entries(arrays)) {
    const name = Buffer.from(key + '.npy');
    const body = formatNpy(array);
    // The fields that a local and a central header share: version, UTF-8 names, stored, 1980-01-01, CRC, sizes.
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x800, 2);
    fields.writeUInt16LE(0x21, 8);
    fields.writeUInt32LE(crc32(body), 10);
    fields.writeUInt32LE(body.length, 14);
    fields.writeUInt32LE(body.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    members.push(Buffer.from('PK\x03\x04'), fields, name, body);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), fields, place, name);
    offset += 30 + name.length + body.length;
  }
  const list = Buffer.concat(directory);
  const tail = Buffer.alloc(18);
  tail.writeUInt16LE(Object.keys(arrays).length, 4);
  tail.writeUInt16LE(Object.keys(arrays).length, 6);
  tail.writeUInt32LE(list.length, 8);
  tail.writeUInt32LE(offset, 12);
  fs.writeFileSync(path, Buffer.concat([...members, list, Buffer.from('PK\x05\x06'), tail]));
}
