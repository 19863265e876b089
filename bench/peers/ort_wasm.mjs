// The worker of tc-bench for ONNX Runtime Web in node.
import fs from 'node:fs';
import * as packages from '../../tests/peers/packages.mjs';
import { readNpz, writeNpz } from '../../tests/peers/npz.mjs';
import * as measure from './measure.mjs';
import { peakMb, serve } from './worker.mjs';

async function load({ model, threads, inputs, outputs: file }) {
  const ort = packages.load('onnxruntime-web');
  const { outputs, figures } = await measure.load(ort, () => fs.readFileSync(model), threads, readNpz(inputs));
  const peak_mb = peakMb(process.pid);
  writeNpz(file, outputs);
  return { ...figures, version: `ONNX Runtime Web ${figures.version}`, peak_mb };
}

serve({
  check() {
    packages.packageFolder('onnxruntime-web');
  },
  load,
  run: ({ ms }) => measure.run(ms),
});
