// The worker of tc-bench for tc's own WebAssembly in node.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as packages from '../../tests/peers/packages.mjs';
import { readNpz, writeNpz } from '../../tests/peers/npz.mjs';
import * as measure from './measure.mjs';
import { peakMb, serve } from './worker.mjs';

async function load({ model, threads, inputs, outputs: file }) {
  if (threads > 1) throw new Error('tc-web has one thread');
  const tc = await import(pathToFileURL(path.join(packages.tcWeb(), 'index.mjs')));
  const { outputs, figures } = await measure.load(tc, () => fs.readFileSync(model), threads, readNpz(inputs));
  const peak_mb = peakMb(process.pid);
  writeNpz(file, outputs);
  return { ...figures, version: `tc-web ${figures.version}`, peak_mb };
}

serve({
  check() {
    packages.tcWeb();
  },
  load,
  run: ({ ms }) => measure.run(ms),
});
