// Files over HTTP, for programs of this machine only.
import fs from 'node:fs';
import path from 'node:path';

const types = { '.html': 'text/html', '.css': 'text/css', '.mjs': 'text/javascript', '.js': 'text/javascript', '.wasm': 'application/wasm', '.json': 'application/json' };

// The file behind a URL's path, or null. What is at the top lies in folders[''], what is under /NAME/ in folders[NAME].
// Only names directly in one of the folders: nothing climbs out.
export function locate(folders, url) {
  let parts;
  try {
    parts = decodeURIComponent(new URL(url, 'http://localhost').pathname).split('/').slice(1);
  } catch {
    return null; // a malformed URL is nothing that exists
  }
  const name = parts.pop() || 'index.html';
  const folder = parts.length < 2 && Object.hasOwn(folders, parts[0] ?? '') ? folders[parts[0] ?? ''] : null;
  if (!folder || !/^[\w.-]+$/.test(name) || name.startsWith('.')) return null;
  const file = path.join(folder, name);
  return fs.existsSync(file) ? file : null;
}

// Answers with a file, or a range of its bytes; with 404 when it is null.
export function send(request, response, file) {
  if (!file) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
    return;
  }
  const size = fs.statSync(file).size;
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
}

// The URL of a server on this machine; port 0 takes a free one.
export function listen(server, port) {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => done(`http://127.0.0.1:${server.address().port}/`));
  });
}
