// The page of examples/bayes in headless Chromium: node bayes_test.mjs MODELS OUT
//
// MODELS is what `bayes --out` wrote. Asked: each posterior is sampled in ONNX Runtime Web, chains agree, draws are the
// bits that ONNX Runtime's native build gives where models are portable, and means are near the reference. OUT keeps a
// screenshot. Ends with 77 (skipped) where Chromium or the npm packages are missing.
import { spawn } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as packages from '../peers/packages.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const [models, out] = process.argv.slice(2);
const chains = 2, warmup = 150, draws = 150;
// A parameter of each, and its mean and standard deviation: examples/bayes/reference.py.
const wanted = {
  eight_schools: { name: 'mu', mean: 4.397, sd: 3.318, portable: true },
  seeds: { name: 'a0', mean: -0.5225, sd: 0.2068, portable: true },
  gaussian_process: { name: 'length', mean: 1.0995, sd: 0.2895, portable: false },
};

let browserPath, chromium, ort;
try {
  browserPath = packages.chromium();
  packages.packageFolder('onnxruntime-web');
  ({ chromium } = packages.load('playwright-core'));
  ort = packages.load('onnxruntime-node');
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
  const child = spawn(process.execPath, [path.join(root, 'examples/bayes/page/serve.mjs'), models, '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((done, failed) => {
    child.on('exit', (code) => failed(new Error(`the server ended with ${code}`)));
    child.stdout.once('data', (line) => done({ child, url: String(line).trim() }));
  });
}

// SHA-256 of what the native build draws.
async function nativeDigest(model) {
  const session = await ort.InferenceSession.create(path.join(models, `${model}.onnx`), { intraOpNumThreads: 1 });
  const scalar = (n) => new ort.Tensor('int64', BigInt64Array.of(BigInt(n)), []);
  const hash = crypto.createHash('sha256');
  for (let k = 0; k < chains; ++k) {
    const key = new ort.Tensor('uint32', Uint32Array.of(1, k), [2]);
    const { data } = (await session.run({ key, warmup: scalar(warmup), draws: scalar(draws) })).parameters;
    hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  return hash.digest('hex');
}

const { child, url } = await serve();
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
try {
  fs.mkdirSync(out, { recursive: true });
  const page = await browser.newPage({ viewport: { width: 900, height: 1100 } });
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => complaints.push(`${request.url()} failed`));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) complaints.push(`asks ${request.url()}`);
  });
  await page.goto(url);
  await page.waitForSelector('#run:not([disabled])', { timeout: 60000 });
  for (const [id, value] of Object.entries({ chains, warmup, draws, seed: 1 })) await page.fill(`#${id}`, String(value));

  for (const [model, { name, mean, sd, portable }] of Object.entries(wanted)) {
    await page.selectOption('#model', model);
    await page.click('#run');
    await page.waitForFunction(() => !document.getElementById('run').disabled, null, { timeout: 240000 });
    console.log(`     ${await page.textContent('#outcome')}`);
    const row = page.locator(`#summary tr[data-name="${name}"]`);
    const [gotMean, gotSd, rhat, ess] = (await row.locator('td').allTextContents()).map(Number);
    const error = sd / Math.sqrt(ess);
    expect(Math.abs(gotMean - mean) < 5 * error, `${model}: the mean of ${name} is ${gotMean}, asked ${mean} within ${(5 * error).toFixed(3)}`);
    expect(gotSd > sd / 2 && gotSd < 2 * sd, `${model}: the deviation of ${name} is ${gotSd}, asked about ${sd}`);
    expect(rhat < 1.1 && ess > 30, `${model}: R-hat of ${name} is ${rhat}, ESS ${ess}`);
    expect((await page.locator('#charts svg').count()) === 2 && (await page.locator('#charts path').count()) === chains,
      `${model}: a trace of each chain, and a histogram`);
    if (!portable) continue;
    const digest = await page.textContent('#digest');
    expect(digest === (await nativeDigest(model)), `${model}: the browser draws the bits of the native runtime, ${digest.slice(0, 16)}…`);
    if (model === 'eight_schools') await page.screenshot({ path: path.join(out, 'bayes.png'), fullPage: true });
  }

  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll('button, input, select, svg')]
      .filter((e) => !(e.textContent.trim() || e.ariaLabel || e.labels?.length))
      .map((e) => e.id));
  expect(nameless.length === 0, `controls without a name: ${nameless.join(', ') || 'none'}`);
  expect(complaints.length === 0, `complaints of the browser: ${complaints.join('; ') || 'none'}`);
} finally {
  await browser.close();
  child.removeAllListeners('exit');
  child.kill();
}
process.exit(failures.length ? 1 : 0);
