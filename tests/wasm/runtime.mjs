// What doors/wasm/runtime adds to the C++ library: node runtime.mjs RUNTIME_TEST.wasm
import fs from 'node:fs';
import { done, expect } from './expect.mjs';

const module = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
const imports = {};
for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 52;
const { exports } = new WebAssembly.Instance(module, imports);
exports._initialize?.();
for (const [name, f] of Object.entries(exports)) {
  if (typeof f !== 'function' || name === '_initialize') continue;
  let result;
  try {
    result = f();
  } catch (error) {
    result = error.message;
  }
  expect(result === 1, `${name.replaceAll('_', ' ')}${result === 1 ? '' : `: ${result}`}`);
}
done();
