// Sessions in workers: the same results, and a caller that stays responsive. node worker.mjs PACKAGE CASES BUILD
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { bytesOf, done, expect, fails, load, model } from './expect.mjs';

const [folder, cases, build] = process.argv.slice(2);
const { InferenceSession, Tensor, TcError, env } = await load(folder);
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'tc-worker-'));
const inWorker = async (...args) => {
  env.wasm.proxy = true;
  try {
    return await InferenceSession.create(...args);
  } finally {
    env.wasm.proxy = false;
  }
};
// The longest that the timer had to wait during f().
async function longest(f) {
  let most = 0, last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    most = Math.max(most, now - last);
    last = now;
  }, 1);
  const start = performance.now();
  await f();
  clearInterval(timer);
  return { most: Math.max(most, performance.now() - last), whole: performance.now() - start };
}

try {
  execFileSync(path.join(build, 'bin/tc-bench'), ['--save-models', scratch, 'zoo:mobilenet_v2']);
  const file = path.join(scratch, 'mobilenet_v2.onnx');
  const here = await InferenceSession.create(file), there = await inWorker(file);
  expect(JSON.stringify(there.inputMetadata) === JSON.stringify(here.inputMetadata), 'the same inputs');
  const [{ name, shape }] = here.inputMetadata;
  const dims = shape.map((d) => (typeof d === 'number' ? d : 1));
  const x = new Tensor('float32', Float32Array.from({ length: dims.reduce((a, b) => a * b, 1) }, (_, i) => Math.sin(i)), dims);
  const want = here.runSync({ [name]: x })[here.outputNames[0]];
  const got = (await there.run({ [name]: x }))[there.outputNames[0]];
  expect(got instanceof Tensor && String(got.data) === String(want.data) && x.data.length > 0, 'the same output to the bit; inputs stay');
  const into = new Tensor('float32', new Float32Array(want.data.length), want.dims);
  await there.run({ [name]: x }, { [there.outputNames[0]]: into });
  expect(String(into.data) === String(want.data), 'an output in a tensor of the caller');

  const ten = (s) => longest(async () => {
    for (let i = 0; i < 20; ++i) await s.run({ [name]: x });
  });
  const blocked = await ten(here), free = await ten(there);
  expect(free.most < blocked.whole / 4, `20 runs take ${blocked.whole.toFixed(0)} ms here; in a worker the caller waits ${free.most.toFixed(0)} ms at most`);
  const { steps } = await there.profile({ [name]: x });
  expect(steps.length > 10 && there.memory > 1e6, `${steps.length} steps, ${there.memory} bytes`);

  await fails(there.run({ [name]: new Tensor('int32', [1], [1]) }), /bad-input/, 'a wrong input');
  const error = await there.run({ [name]: new Tensor('int32', [1], [1]) }).catch((e) => e);
  expect(error instanceof TcError && error.code === 'bad-input', 'errors keep their class and code');
  await fails(there.run({ other: x }), /is no input/, 'an unknown input');
  await fails(inWorker(bytesOf(model(cases, 'test_add')).subarray(0, 40)), /truncated/, 'a damaged model');
  const [first, second] = await Promise.all([there.run({ [name]: x }), there.run({ [name]: x })]);
  expect(String(Object.values(first)[0].data) === String(Object.values(second)[0].data), 'calls at once are done in turn');
  await there.release();
  await fails(there.run({ [name]: x }), /released/, 'after its release');

  const bytes = bytesOf(model(cases, 'test_add'));
  const buffer = new ArrayBuffer(bytes.length + 8);
  new Uint8Array(buffer, 4, bytes.length).set(bytes);
  const placed = await inWorker(buffer, 4, bytes.length, { graphOptimizationLevel: 'basic' });
  expect(placed.inputNames.join() === 'x,y', 'bytes within a buffer, with options');
  await placed.release();
} finally {
  fs.rmSync(scratch, { recursive: true });
}
done();
