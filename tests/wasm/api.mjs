// The interface of tc-web: node api.mjs PACKAGE CASES
import { pathToFileURL } from 'node:url';
import { bytesOf, done, expect, fails, load, model } from './expect.mjs';

const [folder, cases] = process.argv.slice(2);
const ort = await load(folder);
const { InferenceSession, Tensor, env } = ort;
const same = (a, b) => a.length === b.length && Array.from(a).every((v, i) => v === b[i]);

expect(ort.default.InferenceSession === InferenceSession && typeof env.wasm === 'object', 'the names of onnxruntime-web');
expect(new Tensor(Float32Array.of(1, 2)).dims[0] === 2, 'a tensor takes its type and extents from its data');
expect(new Tensor('int64', [1, 2n, 3], [3]).data[0] === 1n, 'numbers become big integers');
expect(new Tensor([true, false]).type === 'bool' && new Tensor(['a']).type === 'string', 'lists of booleans and texts');
expect(new Tensor('float32', [1, 2, 3, 4], [4]).reshape([2, 2]).dims.length === 2, 'a tensor in another shape');
await fails((async () => new Tensor('float32', [1, 2, 3], [2, 2]))(), /size\(4\) does not match data length\(3\)/, 'too few elements');
await fails((async () => new Tensor('float33', [1]))(), /unknown tensor type 'float33'/, 'an unknown type');
await fails((async () => new Tensor('float32', new Int32Array(1)))(), /must be Float32Array/, 'data of another type');

const file = model(cases, 'test_add');
const bytes = bytesOf(file);
const padded = new Uint8Array(bytes.length + 20);
padded.set(bytes, 7);
const ways = {
  'a path': () => InferenceSession.create(file),
  'a URL': () => InferenceSession.create(pathToFileURL(file)),
  'bytes': () => InferenceSession.create(bytes, { executionProviders: ['wasm'], logSeverityLevel: 3 }),
  'a buffer': () => InferenceSession.create(bytes.buffer.slice(0)),
  'a part of a buffer': () => InferenceSession.create(padded.buffer, 7, bytes.length, { graphOptimizationLevel: 'disabled' }),
};
const x = Float32Array.from({ length: 60 }, (_, i) => i), y = x.map((v) => 2 * v);
const feeds = { x: new Tensor('float32', x, [3, 4, 5]), y: new Tensor('float32', y, [3, 4, 5]) };
for (const [name, create] of Object.entries(ways)) {
  const session = await create();
  const { sum } = await session.run(feeds);
  expect(sum.type === 'float32' && same(sum.dims, [3, 4, 5]) && same(sum.data, x.map((v) => 3 * v)), `a model from ${name}`);
  await session.release();
}

const session = await InferenceSession.create(bytes);
expect(same(session.inputNames, ['x', 'y']) && same(session.outputNames, ['sum']), 'names of inputs and outputs');
const [meta] = session.inputMetadata;
expect(meta.isTensor && meta.type === 'float32' && same(meta.shape, [3, 4, 5]), 'what an input is');
const into = new Tensor('float32', new Float32Array(60), [3, 4, 5]);
expect((await session.run(feeds, { sum: into })).sum === into && into.data[1] === 3, 'an output into a tensor that is there');
expect(same(Object.keys(await session.run(feeds, ['sum'])), ['sum']), 'outputs by name');
expect(session.runSync({ x: { type: 'float32', data: x, dims: [3, 4, 5] }, y: feeds.y }).sum.data[2] === 6, "another library's tensor");
await fails(session.run({ x: feeds.x }), /input 'y' is missing/, 'an input is missing');
await fails(session.run({ ...feeds, z: feeds.x }), /'z' is no input; there are: x, y/, 'an input too many');
await fails(session.run(feeds, ['total']), /'total' is no output; there are: sum/, 'an output that is not there');
await fails(session.run({ ...feeds, y: new Tensor('float64', Float64Array.from(y), [3, 4, 5]) }), /y.*f64|f64.*y/s, 'an input of another type');
await fails(session.run({ ...feeds, y: new Tensor('float32', y, [4, 3, 5]) }), /y/, 'an input of another shape');
await fails(session.run(feeds.x), /'feeds' must be an object/, 'a tensor in place of feeds');
await fails(session.run({ ...feeds, y: 3 }), /input 'y' is no tensor/, 'a number in place of a tensor');
expect((await session.run(feeds)).sum.data[3] === 9, 'a session goes on after errors');
const { outputs, steps } = await session.profile(feeds);
expect(outputs.sum.data[3] === 9 && steps.length > 0 && steps.every((s) => s.ms >= 0 && s.op), `a profile: ${steps[0]?.op} by ${steps[0]?.kernel}`);
await session.release();
await fails(session.run(feeds), /released/, 'a session that was released');

await fails(InferenceSession.create(bytes.subarray(0, 50)), /the model|truncated|ends/, 'a model that was cut off');
await fails(InferenceSession.create('/no/such/model.onnx'), /no such file/, 'a file that is not there');
await fails(InferenceSession.create(bytes, { graphOptimizationLevel: 'most' }), /unknown optimisation level 'most'/, 'an unknown level');
await fails(InferenceSession.create(42), /takes a path/, 'a number in place of a model');
const error = await InferenceSession.create(new Uint8Array(8)).catch((e) => e);
expect(error instanceof ort.TcError && /^[a-z-]+$/.test(error.code), `an error has a code: ${error.code}`);

// Each kind of element, by the cases that cast or copy them.
const strings = await InferenceSession.create(model(cases, 'test_strnormalizer_nostopwords_nochangecase')).catch(() => null);
if (strings) {
  const texts = ['monday', 'tuesday'];
  const result = await strings.run({ [strings.inputNames[0]]: new Tensor('string', texts, [2]) });
  expect(same(Object.values(result)[0].data, texts), 'texts go in and out');
}
const sequence = await InferenceSession.create(model(cases, 'test_sequence_insert_at_back')).catch(() => null);
if (sequence) {
  const parts = [new Tensor('int64', [1, 2], [2]), new Tensor('int64', [3], [1])];
  const [a, b] = sequence.inputNames;
  const result = await sequence.run({ [a]: parts, [b]: new Tensor('int64', [4, 5, 6], [3]) });
  expect(Object.values(result)[0].map((t) => t.data.join()).join(';') === '1,2;3;4,5,6', 'a sequence in and out');
}
expect(strings && sequence, 'the cases with texts and sequences are there');
done();
