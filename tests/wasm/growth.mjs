// Runs and sessions leave nothing behind: node --expose-gc growth.mjs PACKAGE CASES
import { bytesOf, done, expect, load, model } from './expect.mjs';

const [folder, cases] = process.argv.slice(2);
const { InferenceSession, Tensor } = await load(folder);
const runs = 10000, sessions = 100;

const session = await InferenceSession.create(model(cases, 'test_add'));
const feeds = Object.fromEntries(
  session.inputNames.map((n) => [n, new Tensor('float32', new Float32Array(60).fill(1), [3, 4, 5])]),
);
for (let i = 0; i < 100; ++i) await session.run(feeds);
const before = session.memory;
for (let i = 0; i < runs; ++i) await session.run(feeds);
expect(session.memory === before, `${runs} runs: ${before} bytes before, ${session.memory} after`);
// An error leaves nothing either.
for (let i = 0; i < runs / 10; ++i) await session.run({ ...feeds, x: new Tensor('float32', [1], [1]) }).catch(() => {});
expect(session.memory === before, `${runs / 10} failed runs: ${session.memory} bytes after`);
await session.release();

const bytes = bytesOf(model(cases, 'test_add'));
const settle = async () => {
  for (let i = 0; i < 3; ++i) {
    globalThis.gc();
    await new Promise((go) => setTimeout(go, 20));
  }
  return process.memoryUsage().rss / 2 ** 20;
};
const make = async (n) => {
  for (let i = 0; i < n; ++i) await (await InferenceSession.create(bytes)).release();
};
await make(sessions);
const first = await settle();
await make(sessions);
const second = await settle();
expect(second < first + 32, `${sessions} sessions more: ${first.toFixed(0)} MB before, ${second.toFixed(0)} after`);
done();
