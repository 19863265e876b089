// How large the package is, and that it stays so: node sizes.mjs PACKAGE [--brotli]
//
// With --brotli the best compression of both runtimes' modules as well, which takes a minute.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import * as packages from '../peers/packages.mjs';
import { done, expect } from './expect.mjs';

const [folder, brotli] = process.argv.slice(2);
const limits = { raw: 6.26e6, gzip: 1.65e6, script: 8 * 1024 };

function sizes(file) {
  const bytes = fs.readFileSync(file);
  const quality = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 11, [zlib.constants.BROTLI_PARAM_LGWIN]: 24 } };
  const result = { raw: bytes.length, gzip: zlib.gzipSync(bytes, { level: 9 }).length };
  if (brotli) result.brotli = zlib.brotliCompressSync(bytes, quality).length;
  return result;
}
const spelled = (s) => Object.entries(s).map(([k, v]) => `${k} ${(v / 1e6).toFixed(3)} MB`).join(', ');

for (const name of ['tc.wasm', 'tc.relaxed.wasm']) {
  const module = sizes(path.join(folder, name));
  expect(module.raw <= limits.raw && module.gzip <= limits.gzip, `${name}: ${spelled(module)}`);
}
const scripts = ['index.mjs', 'session.mjs', 'module.mjs', 'tensor.mjs', 'weights.mjs'].map((f) => fs.readFileSync(path.join(folder, f)));
const script = zlib.gzipSync(Buffer.concat(scripts), { level: 9 }).length;
expect(script <= limits.script, `JavaScript: ${script} bytes by gzip`);
if (brotli) {
  const other = path.join(packages.packageFolder('onnxruntime-web'), 'dist/ort-wasm-simd-threaded.wasm');
  console.log(`     onnxruntime-web: ${spelled(sizes(other))}`);
}
done();
