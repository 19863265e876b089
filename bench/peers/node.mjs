// The worker of tc-bench for a runtime in node that has the interface of ONNX Runtime Web.
import fs from 'node:fs';
import { readNpz, writeNpz } from '../../tests/peers/npz.mjs';
import * as measure from './measure.mjs';
import { peakMb, refuseThreads, serve } from './worker.mjs';

async function load(runtime, { model, threads, inputs, outputs: file }) {
  refuseThreads(runtime, threads);
  const { outputs, figures } = await measure.load(await runtime.module(), () => fs.readFileSync(model), threads, readNpz(inputs));
  const peak_mb = peakMb(process.pid);
  writeNpz(file, outputs);
  return { ...figures, version: `${runtime.name} ${figures.version}`, peak_mb };
}

// runtime: {name, folder(): where it lies, module(): what it exports, mostThreads}.
export function serveInNode(runtime) {
  return serve({
    check() {
      runtime.folder();
    },
    load: (request) => load(runtime, request),
    run: ({ ms }) => measure.run(ms),
  });
}
