// A small page that was written for ONNX Runtime Web, with its import changed, in headless Chromium: as a page that may
// share memory, and as one that may not. node page.mjs PACKAGE CASES; ends with 77 (skipped) without Chromium.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { listen, locate, send } from '../../examples/browser/files.mjs';
import * as packages from '../peers/packages.mjs';
import { done, expect } from './expect.mjs';

const [folder, cases] = process.argv.slice(2);
let browserPath, chromium;
try {
  browserPath = packages.chromium();
  ({ chromium } = packages.load('playwright-core'));
} catch (error) {
  console.log(`skipped: ${error.message}`);
  process.exit(77);
}
const folders = {
  '': path.dirname(fileURLToPath(import.meta.url)),
  runtime: folder,
  model: path.join(cases, 'node/test_matmul_2d'),
};
const a = Array.from({ length: 12 }, (_, i) => i), b = a.map((i) => i % 5);
const product = Array.from({ length: 9 }, (_, k) =>
  [0, 1, 2, 3].reduce((sum, i) => sum + a[4 * Math.floor(k / 3) + i] * b[3 * i + (k % 3)], 0));
const bytes = fs.statSync(path.join(folders.model, 'model.onnx')).size;
const wanted = `float32 [3,3] ${product.join(' ')}; ${bytes} bytes`;

const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
try {
  for (const isolated of [true, false]) {
    const server = http.createServer((request, response) => {
      if (!isolated) {
        const head = response.writeHead.bind(response);
        response.writeHead = (status, headers) => {
          for (const name of ['cross-origin-opener-policy', 'cross-origin-embedder-policy']) delete headers[name];
          return head(status, headers);
        };
      }
      send(request, response, locate(folders, request.url));
    });
    const page = await browser.newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(`${await listen(server, 0)}page.html`);
    await page.waitForFunction(() => document.getElementById('result').textContent !== 'Working…', null, { timeout: 60000 });
    const text = await page.textContent('#result');
    expect(text === wanted, `${isolated ? 'with' : 'without'} shared memory: ${text}`);
    expect((await page.evaluate(() => crossOriginIsolated)) === isolated, 'the page is as asked');
    expect(errors.length === 0, `errors of the page: ${errors.join('; ') || 'none'}`);
    await page.close();
    server.close();
  }
} finally {
  await browser.close();
}
done();
