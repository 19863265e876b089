// ONNX Runtime Web, or what has its interface, as tc-bench measures it, in node and in a page alike.

const warmUpMs = 20;
const maxTimes = 4000;

let session;
let feeds;

// `model`: a function that gives what a session is made of. `inputs`: {name: {type, data, dims}}. The outputs of the first
// run, and figures.
export async function load(ort, model, threads, inputs) {
  const start = performance.now();
  ort.env.wasm.numThreads = threads;
  ort.env.logLevel = 'error';
  session = await ort.InferenceSession.create(model(), { executionProviders: ['wasm'] });
  const loaded = performance.now();
  feeds = {};
  for (const [name, { type, data, dims }] of Object.entries(inputs)) feeds[name] = new ort.Tensor(type, data, dims);
  const before = performance.now();
  const outputs = await session.run(feeds);
  const first_run_ms = performance.now() - before;
  return { outputs, figures: { version: ort.env.versions.web, load_ms: loaded - start, first_run_ms, flops: 0 } };
}

// Times of runs for that long at least.
export async function run(ms) {
  for (const start = performance.now(); performance.now() - start < warmUpMs; ) await session.run(feeds);
  let times = [];
  const start = performance.now();
  for (let now = start; times.length < 3 || now - start < ms; ) {
    await session.run(feeds);
    const end = performance.now();
    times.push(end - now);
    now = end;
  }
  const runs = times.length;
  if (runs > maxTimes) times = Array.from({ length: maxTimes }, (_, i) => times[Math.floor((i * runs) / maxTimes)]);
  return { times, runs };
}
