// Modules for one model: they give what the whole module gives, say what is wrong with inputs, and stay small.
// node single.mjs PACKAGE CASES BUILD
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import http from 'node:http';
import zlib from 'node:zlib';
import { execFileSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { listen, locate, send } from '../../examples/browser/files.mjs';
import * as packages from '../peers/packages.mjs';
import { bytesOf, done, expect, fails, load, model } from './expect.mjs';

const [folder, cases, build] = process.argv.slice(2);
const tc = await load(folder);
const { make } = await import(pathToFileURL(path.resolve(folder, 'single.mjs')));
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'tc-single-'));
const table = path.join(path.dirname(fileURLToPath(import.meta.url)), 'single_sizes.txt');
const brotli = (bytes) =>
  zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_LGWIN]: 24 } }).length;
const feedsOf = ({ inputMetadata }, at) =>
  Object.fromEntries(inputMetadata.map(({ name, type, shape }) => {
    const n = shape.reduce((a, b) => a * b, 1);
    return [name, new tc.Tensor(type, Array.from({ length: n }, (_, i) => (/float/.test(type) ? Math.cos(i + at) : i % 2)), shape)];
  }));
const spelled = (outputs) => 
  JSON.stringify(Object.entries(outputs).map(([k, { dims, data }]) => [k, dims, [...data].map(String)]));

// What the folder that was written has, by the JavaScript in it.
async function compare(name, file, out, form, dims) {
  const own = await import(pathToFileURL(path.join(out, 'index.mjs')));
  const whole = await tc.InferenceSession.create(file, { freeDimensionOverrides: dims });
  const single = await own.InferenceSession.create(path.join(out, form === 'snapshot' ? 'model.wasm' : 'model.onnx'));
  expect(JSON.stringify(single.inputMetadata) === JSON.stringify(whole.inputMetadata), `${name}: the same inputs`);
  let agree = true;
  for (let at = 0; at < 3; ++at)
    agree &&= spelled(await whole.run(feedsOf(whole, at))) === spelled(await single.run(feedsOf(single, at)));
  expect(agree, `${name}: the same outputs to the bit`);
  const [{ name: input, type }] = whole.inputMetadata;
  const wrong = { ...feedsOf(whole, 0), [input]: new tc.Tensor(type === 'int32' ? 'float64' : 'int32', [1], [1]) };
  await fails(single.run(wrong), /^(?!.*fault).*must be/s, `${name}: a wrong input`);
  expect(spelled(await whole.run(feedsOf(whole, 0))) === spelled(await single.run(feedsOf(single, 0))), `${name}: and a right one again`);
  expect(single.memory <= whole.memory, `${name}: ${single.memory} bytes of memory, the whole module ${whole.memory}`);
  await single.release();
  await whole.release();
}

// The page beside the module, where there is a browser: it loads and runs.
async function shown(name, out) {
  let browserPath, chromium;
  try {
    browserPath = packages.chromium();
    ({ chromium } = packages.load('playwright-core'));
  } catch (error) {
    return console.log(`     no page is looked at: ${error.message}`);
  }
  const server = http.createServer((request, response) => send(request, response, locate({ '': out }, request.url)));
  const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(`${await listen(server, 0)}index.html`);
    await page.waitForFunction(() => document.getElementById('state').textContent !== 'Loading', null, { timeout: 60000 });
    await page.click('#run', { timeout: 5000 }).catch(() => {});
    await page.waitForFunction(() => document.querySelector('#outputs tr'), null, { timeout: 10000 }).catch(() => {});
    const text = await page.textContent('#outputs');
    expect(text.length > 0, `${name}: the page shows ${text.trim().slice(0, 60) || await page.textContent('#state')}`);
  } finally {
    await browser.close();
    server.close();
  }
}

try {
  execFileSync(path.join(build, 'bin/tc-bench'), ['--save-models', scratch, 'zoo:mnist_cnn', 'zoo:mlp']);
  for (const line of fs.readFileSync(table, 'utf8').split('\n')) {
    const [name, form, keep, most] = line.split(/\s+/);
    if (!name || name === '#') continue;
    const file = name.startsWith('test_') ? model(cases, name) : path.join(scratch, `${name}.onnx`);
    const out = path.join(scratch, `${name}-${form}-${keep}`);
    const { bytes, functions, dims } = await make(file, out, { form, keep, dims: { batch: 2 } });
    const size = brotli(bytes);
    expect(size <= Number(most), `${name}, ${form}, ${keep}: ${functions} functions, ${bytes.length} bytes, ${size} by brotli, at most ${most}`);
    await compare(`${name}, ${form}, ${keep}`, file, out, form, dims);
    if (/^mnist/.test(name) && keep === 'calls') await shown(`${name}, ${form}`, out);
  }
  const damaged = path.join(scratch, 'damaged.onnx');
  fs.writeFileSync(damaged, bytesOf(model(cases, 'test_add')).subarray(0, 40));
  await fails(make(damaged, path.join(scratch, 'damaged')), /\S/, 'a damaged model');
  expect(!fs.existsSync(path.join(scratch, 'damaged')), 'nothing is written of it');
} finally {
  fs.rmSync(scratch, { recursive: true });
}
done();
