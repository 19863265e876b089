// The tests of tc-web: node run.mjs PACKAGE BUILD [NAME...]. BUILD is the native build that it is compared with.
import fs from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const [folder, build, ...wanted] = process.argv.slice(2);
const debian = '/usr/share/libonnx-testdata/data';
const suites = [[debian, 'known_failures.txt']];
for (const extra of (process.env.TC_ONNX_CASES ?? '').split(':').filter(Boolean)) suites.push([extra, 'known_failures_newer.txt']);

// Name -> commands; one that ends with 77 was skipped.
const node = process.execPath;
const tests = {
  runtime: [[node, path.join(here, 'runtime.mjs'), path.join(folder ?? '', '../../bin/tc_wasm_runtime_test.wasm')]],
  sizes: [[node, path.join(here, 'sizes.mjs'), folder]],
  api: [[node, path.join(here, 'api.mjs'), folder, debian]],
  faults: [[node, path.join(here, 'faults.mjs'), folder, debian]],
  growth: [[node, '--expose-gc', path.join(here, 'growth.mjs'), folder, debian]],
  suite: suites.map(([cases, known]) => [node, path.join(here, 'suite.mjs'), folder, cases, path.join(here, known)]),
  zoo: [
    [node, path.join(here, 'zoo.mjs'), folder, build],
    [node, '--experimental-wasm-relaxed-simd', path.join(here, 'zoo.mjs'), folder, build, 'mnist_cnn', 'resnet18', 'lstm', 'conformer'],
  ],
  single: [[node, path.join(here, 'single.mjs'), folder, debian, build]],
  worker: [[node, path.join(here, 'worker.mjs'), folder, debian, build]],
  vite: [[node, path.join(here, 'vite.mjs'), folder, debian]],
  page: [
    [node, path.join(here, 'page.mjs'), folder, debian],
    [node, path.join(here, '../browser/browser_test.mjs'), path.join(build, 'browser'), path.join(build, 'bin/tc-run'),
      '/usr/bin/python3', path.join(folder, '../../screenshots')],
  ],
};

const unknown = wanted.filter((name) => !tests[name]);
if (!folder || !fs.existsSync(path.join(folder, 'tc.wasm')) || unknown.length) {
  console.error(unknown.length ? `run.mjs: no test ${unknown[0]}; there are: ${Object.keys(tests).join(', ')}` : `run.mjs: ${folder} has no tc.wasm`);
  process.exit(2);
}
let failed = 0;
for (const [name, commands] of Object.entries(tests)) {
  if (wanted.length && !wanted.includes(name)) continue;
  for (const [program, ...args] of commands) {
    const start = Date.now();
    const { status } = spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, TC_WEB: path.resolve(folder) } });
    const word = status === 0 ? 'ok' : status === 77 ? 'skipped' : 'FAILED';
    if (word === 'FAILED') ++failed;
    console.log(`== ${name}: ${word}, ${((Date.now() - start) / 1e3).toFixed(1)} s`);
  }
}
process.exit(failed ? 1 : 0);
