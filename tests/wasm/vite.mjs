// A page on tc-web that Vite builds, in headless Chromium: with the session in the page, and in a worker.
// node vite.mjs PACKAGE CASES; ends with 77 (skipped) without Vite (npm i vite in a folder, which TC_VITE names) or Chromium.
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { listen, locate, send } from '../../examples/browser/files.mjs';
import * as packages from '../peers/packages.mjs';
import { done, expect, model } from './expect.mjs';

const [folder, cases] = process.argv.slice(2);
const viteFolder = () =>
  process.env.TC_VITE ? path.join(process.env.TC_VITE, 'node_modules/vite') : packages.packageFolder('vite');
let vite, chromium, browserPath;
try {
  vite = await import(pathToFileURL(path.join(viteFolder(), 'dist/node/index.js')));
  browserPath = packages.chromium();
  ({ chromium } = packages.load('playwright-core'));
} catch (error) {
  console.log(`skipped: ${/vite/.test(error.message) ? 'Vite is not there; TC_VITE names a folder with it' : error.message}`);
  process.exit(77);
}

const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tc-vite-')));
const put = (name, text) => {
  fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  fs.writeFileSync(path.join(root, name), text);
};
try {
  put('package.json', '{"private": true, "type": "module"}');
  put('index.html', '<!doctype html><p id="result">Working</p><script type="module" src="/main.js"></script>');
  put('main.js', `import { InferenceSession, Tensor, env } from 'tc-web';
import url from './sum.onnx?url';
env.wasm.proxy = location.search === '?proxy';
const session = await InferenceSession.create(url);
const x = new Tensor('float32', Float32Array.from({ length: 60 }, (_, i) => i), [3, 4, 5]);
const { sum } = await session.run({ x, y: x });
document.getElementById('result').textContent = \`\${sum.dims} \${sum.data[59]}\`;
`);
  fs.copyFileSync(model(cases, 'test_add'), path.join(root, 'sum.onnx'));
  fs.cpSync(path.resolve(folder), path.join(root, 'node_modules/tc-web'), { recursive: true });
  await vite.build({ root, logLevel: 'warn', build: { target: 'es2022' } });
  const built = fs.readdirSync(path.join(root, 'dist/assets'));
  expect(built.some((f) => /^tc-.*\.wasm$/.test(f)), `the module is among what was built: ${built.join(', ')}`);

  const folders = { '': path.join(root, 'dist'), assets: path.join(root, 'dist/assets') };
  const server = http.createServer((request, response) => send(request, response, locate(folders, request.url)));
  const address = await listen(server, 0);
  const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
  for (const query of ['', '?proxy']) {
    const page = await browser.newPage(), errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(`${address}index.html${query}`);
    await page.waitForFunction(() => document.getElementById('result').textContent !== 'Working', null, { timeout: 60000 }).catch(() => {});
    const text = await page.textContent('#result');
    const right = text === '3,4,5 118';
    expect(right, `${query || 'in the page'}: ${text}${right ? '' : ` ${errors.join('; ')}`}`);
  }
  await browser.close();
  server.close();
} finally {
  fs.rmSync(root, { recursive: true });
}
done();
