// What the tests of this folder share.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

let failures = 0;
export function expect(condition, text) {
  if (!condition) ++failures;
  console.log(`${condition ? 'ok  ' : 'FAIL'} ${text}`);
}
// Whether the promise fails with such an error.
export async function fails(promise, pattern, text) {
  const message = await promise.then(() => 'no error', (error) => error.message);
  expect(pattern.test(message), `${text}: ${message.split('\n')[0]}`);
}
export const done = () => process.exit(failures ? 1 : 0);
export const load = (folder) => import(pathToFileURL(path.resolve(folder, 'index.mjs')));
export const model = (cases, name) => path.join(cases, 'node', name, 'model.onnx');
export const bytesOf = (file) => new Uint8Array(fs.readFileSync(file));
