// The page of tc-run --graph-view in headless Chromium: node graph_view_test.mjs TC_RUN FOLDER
//
// Asked: the page shows every node once, with times; scopes of names fold and unfold; a branch opens and shows what it
// captures; the search marks what it finds; nothing is fetched. FOLDER keeps the page and a screenshot. Ends with 77
// (skipped) where Chromium or the npm packages are missing.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as packages from '../peers/packages.mjs';

const [tcRun, folder] = process.argv.slice(2);
let browserPath, chromium;
try {
  browserPath = packages.chromium();
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

const program = `graph @main(%x: f32[4,8], %c: bool[], %w: f32[8,8]) {
  %0 = matmul %x, %w : f32[4,8]  loc("/block/first/MatMul")
  %1 = softmax %0 : f32[4,8]  loc("/block/first/Softmax")
  %2 = matmul %1, %w : f32[4,8]  loc("/block/second/MatMul")
  %3 = if %c (@then {
    %4 = softmax %2 : f32[4,8]
    return %4
  }, @else {
    return %1
  }) : f32[4,8]
  return %3 : "</script><b>y</b>"
}
`;
fs.mkdirSync(folder, { recursive: true });
const model = path.join(folder, 'graph_view.tc'), file = path.join(folder, 'graph_view.html');
fs.writeFileSync(model, program);
const run = spawnSync(tcRun, [model, '--random', '--graph-view', file], { encoding: 'utf8' });
if (run.status !== 0) throw new Error(`tc-run: ${run.stderr}`);

const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`asks ${request.url()}`);
  });
  await page.goto(`file://${path.resolve(file)}`);
  const texts = () => page.$$eval('.node > text:first-of-type', (list) => list.map((e) => e.textContent));
  const all = await texts();
  expect(all.length === 8, `three inputs, four ops and an output: ${all.join(', ')}`);
  expect(all.includes('</script><b>y</b>'), 'names are text, whatever they hold');
  expect((await page.$$eval('.node .type', (list) => list.filter((e) => e.textContent.includes('µs')).length)) === 4, 'each op has its time');

  await page.click('#fold');
  expect((await texts()).some((t) => t.startsWith('block (3)')), 'a scope folds to one box');
  await page.dblclick('.node.scope');
  expect((await texts()).some((t) => t.startsWith('first (2)')), 'and unfolds to the scopes in it');

  await page.fill('#search', 'gemm');
  expect((await page.$$('.node.found')).length > 0, 'kernels are found by name');
  await page.fill('#search', '');

  await page.locator('.node', { hasText: 'if' }).first().click();
  expect(/if @?then|show if/.test(await page.textContent('#side')), 'the branches are listed');
  await page.locator('#side a', { hasText: 'then' }).click();
  expect((await page.$$('.node.captured')).length === 1, 'a branch shows what it captures');
  await page.screenshot({ path: path.join(folder, 'graph_view.png') });
  expect(complaints.length === 0, `no complaints ${complaints.join('; ')}`);
} finally {
  await browser.close();
}
process.exit(failures.length ? 1 : 0);
