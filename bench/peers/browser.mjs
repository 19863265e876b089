// The worker of tc-bench for a runtime in headless Chromium, whose processes join the process group of this one: who
// stops the group stops all of them.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { listen, locate, send } from '../../examples/browser/files.mjs';
import * as packages from '../../tests/peers/packages.mjs';
import { readNpz, typed, types, writeNpz } from '../../tests/peers/npz.mjs';
import { peakMb, refuseThreads, serve } from './worker.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const flags = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-breakpad', '--disable-hang-monitor', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-extensions',
  '--disable-background-timer-throttling', '--disable-renderer-backgrounding', '--remote-debugging-port=0',
];
const patience = { timeout: 300000 }; // of a machine that has much else to do
let browser, page;

// playwright-core would start Chromium in a session of its own, so it only takes over here.
async function openBrowser(folder) {
  const child = spawn(packages.chromium(), [...flags, `--user-data-dir=${folder}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, TMPDIR: folder },
  });
  process.on('exit', () => child.kill('SIGKILL'));
  process.stdin.on('end', () => process.exit(1)); // nobody waits for the page any more
  const address = await new Promise((done, failed) => {
    let text = '';
    child.on('error', failed);
    child.on('exit', () => failed(new Error(`Chromium does not start: ${text.trim().split('\n').at(-1)}`)));
    child.stderr.on('data', (piece) => {
      text += piece;
      const found = /^DevTools listening on (ws:\S+)/m.exec(text);
      if (found) done(found[1]);
    });
  });
  return packages.load('playwright-core').chromium.connectOverCDP(address, patience);
}

// The memory of the largest of the processes that show pages.
async function pageMb() {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return Math.max(...processInfo.filter((p) => p.type === 'renderer').map((p) => peakMb(p.id)));
}

async function inPage(what, request) {
  try {
    return await page.evaluate(what, request);
  } catch (error) {
    throw new Error(error.message.replace(/^page\.evaluate: (Error: )?/, ''));
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength);

async function load(runtime, { model, threads, inputs, outputs: file }) {
  const { name, module, folder } = runtime;
  refuseThreads(runtime, threads);
  browser = await openBrowser(fs.mkdtempSync(path.join(path.dirname(file), 'chromium-')));
  const given = Object.entries(readNpz(inputs));
  const received = [];
  const folders = { '': here, runtime: folder() };
  const server = http.createServer((request, response) => {
    const [, what, index] = /^\/run\/(model|input|output)(?:\/(\d+))?$/.exec(request.url) ?? [];
    if (what === 'model') send(request, response, model);
    else if (what === 'input') response.end(bytesOf(given[index][1].data));
    else if (what === 'output') {
      const pieces = [];
      request.on('data', (piece) => pieces.push(piece));
      request.on('end', () => {
        received[index] = Buffer.concat(pieces);
        response.end();
      });
    } else send(request, response, locate(folders, request.url));
  });
  const url = await listen(server, 0);
  page = await browser.contexts()[0].newPage();
  await page.goto(`${url}browser.html?${module}`, patience);
  await page.waitForFunction(() => globalThis.load, undefined, patience);
  const tensors = given.map(([name, { type, dims, data }], i) => [
    name, { type, dims, ...(type === 'string' ? { data } : { array: data.constructor.name, url: `run/input/${i}` }) },
  ]);
  const figures = await inPage((request) => load(request), { threads, tensors: Object.fromEntries(tensors) });
  const peak_mb = await pageMb();
  const outputs = {};
  (await inPage(() => sendOutputs())).forEach(({ name, type, dims, data }, i) => {
    outputs[name] = { type, dims, data: data ?? typed(types[type][1], received[i]) };
  });
  writeNpz(file, outputs);
  return { ...figures, version: `${name} ${figures.version} in Chromium ${browser.version()}`, peak_mb };
}

// runtime: {name, module: its file, folder(): where that lies, mostThreads}.
export function serveInBrowser(runtime) {
  return serve({
    check() {
      packages.chromium();
      packages.packageFolder('playwright-core');
      runtime.folder();
    },
    load: (request) => load(runtime, request),
    run: ({ ms }) => inPage((least) => run(least), ms),
  });
}
