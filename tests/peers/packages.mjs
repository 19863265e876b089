// What comes from elsewhere: npm packages, and Chromium. Each error is a line that says what to install.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

// TC_NODE_MODULES names a folder of packages outside the tree.
const beside = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../node_modules');
const packages = path.resolve(process.env.TC_NODE_MODULES ?? beside);

// The folder of a package.
export function packageFolder(name) {
  const folder = path.join(packages, name);
  if (!fs.existsSync(folder)) throw new Error(`the npm package ${name} is missing; ./dev install-deps fetches it`);
  return folder;
}

export function load(name) {
  packageFolder(name);
  return createRequire(path.join(packages, 'x.js'))(name);
}

// The folder of tc's own WebAssembly; TC_WEB names another one.
export function tcWeb() {
  const built = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../build-wasm/npm/tc-web');
  const folder = path.resolve(process.env.TC_WEB ?? built);
  if (!fs.existsSync(path.join(folder, 'tc.wasm'))) throw new Error(`${folder} has no tc.wasm; ./dev wasm builds it`);
  return folder;
}

// The program.
export function chromium() {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter))
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
      const file = path.join(folder, name);
      if (fs.existsSync(file)) return file;
    }
  throw new Error('Chromium is not installed; ./dev install-deps installs it');
}
