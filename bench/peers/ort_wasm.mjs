// The worker of tc-bench for ONNX Runtime Web in node.
import * as packages from '../../tests/peers/packages.mjs';
import { serveInNode } from './node.mjs';

serveInNode({
  name: 'ONNX Runtime Web',
  folder: () => packages.packageFolder('onnxruntime-web'),
  module: () => packages.load('onnxruntime-web'),
});
