// Damaged models give errors, never a fault: node faults.mjs PACKAGE CASES
//
// Cut off at many places, and with bytes changed by a fixed sequence of numbers. What still loads is run.
import fs from 'node:fs';
import path from 'node:path';
import { bytesOf, done, expect, load } from './expect.mjs';

const [folder, cases] = process.argv.slice(2);
const { InferenceSession, Tensor } = await load(folder);
const names = ['test_add', 'test_lstm_defaults', 'test_loop11', 'test_if_opt', 'test_conv_with_strides_padding',
  'test_softmax_cross_entropy_mean_expanded', 'test_sequence_insert_at_back', 'test_adam'];

let seed = 1;
const random = (n) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) % n;

let errors = 0, runs = 0, faults = 0;
async function attempt(bytes) {
  try {
    const session = await InferenceSession.create(bytes, { tc: { max_memory: 1 << 26, max_steps: 1000 } });
    const feeds = {};
    for (const { name, isTensor, type, shape } of session.inputMetadata) {
      if (!isTensor || type === 'string' || !shape.every(Number.isInteger)) continue;
      const count = shape.reduce((a, b) => a * b, 1);
      if (count < 1e6) feeds[name] = new Tensor(type, Array.from({ length: count }, () => 1), shape);
    }
    await session.run(feeds);
    ++runs;
    await session.release();
  } catch (error) {
    if (/fault|unreachable|out of bounds/.test(error.message)) ++faults, console.log(error.message);
    ++errors;
  }
}

for (const name of names) {
  const file = path.join(cases, 'node', name, 'model.onnx');
  if (!fs.existsSync(file)) continue;
  const whole = bytesOf(file);
  for (let k = 0; k < 12; ++k) await attempt(whole.subarray(0, Math.floor((whole.length * k) / 12)));
  for (let k = 0; k < 40; ++k) {
    const damaged = whole.slice();
    for (let i = 0; i <= k % 4; ++i) damaged[random(damaged.length)] = random(256);
    await attempt(damaged);
  }
}
expect(faults === 0, `${errors} damaged models gave errors, ${runs} ran, ${faults} ended by a fault`);
expect(errors > 100, 'most damage is found');
done();
