// The worker of tc-bench for ONNX Runtime Web in headless Chromium.
import path from 'node:path';
import * as packages from '../../tests/peers/packages.mjs';
import { serveInBrowser } from './browser.mjs';

serveInBrowser({
  name: 'ONNX Runtime Web',
  module: 'ort.wasm.min.mjs',
  folder: () => path.join(packages.packageFolder('onnxruntime-web'), 'dist'),
});
