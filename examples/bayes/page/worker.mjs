// One chain: runs a sampler in ONNX Runtime Web, in a thread of its own.
import * as ort from './ort/ort.wasm.min.mjs';

ort.env.wasm.wasmPaths = new URL('./ort/', import.meta.url).href;
ort.env.wasm.numThreads = 1;

const scalar = (n) => new ort.Tensor('int64', BigInt64Array.of(BigInt(n)), []);
let session, loaded;

async function run({ model, key, warmup, draws }) {
  if (loaded !== model) {
    await session?.release();
    session = await ort.InferenceSession.create(`models/${model}.onnx`);
    loaded = model;
  }
  const start = performance.now();
  const y = await session.run({
    key: new ort.Tensor('uint32', Uint32Array.from(key), [2]),
    warmup: scalar(warmup),
    draws: scalar(draws),
  });
  return {
    parameters: y.parameters.data,
    columns: y.parameters.dims[1],
    leaves: Array.from(y.leaves.data, Number),
    diverging: Array.from(y.diverging.data, Number),
    step: y.step.data[0],
    seconds: (performance.now() - start) / 1e3,
  };
}

self.onmessage = async ({ data }) => {
  try {
    self.postMessage({ result: await run(data) });
  } catch (error) {
    self.postMessage({ error: String(error.message ?? error) });
  }
};
