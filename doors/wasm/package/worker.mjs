// The other end of remote.mjs: a worker with one session. Messages {id, call, args}; answers {id, result | error}.
import { InferenceSession, env } from './session.mjs';

let parent = globalThis;

// The memory of tensors, which goes to the page without a copy.
function buffersOf(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) found.add(value.buffer);
  else if (value instanceof Map || Array.isArray(value)) for (const v of value.values()) buffersOf(v, found);
  else if (value && typeof value === 'object') for (const v of Object.values(value)) if (typeof v === 'object') buffersOf(v, found);
  return [...found];
}

let session;
const calls = {
  async create(model, rest, settings, progress) {
    Object.assign(env.wasm, settings);
    const [options, ...places] = rest.reverse();
    const onProgress = progress && ((loaded) => parent.postMessage({ progress: loaded }));
    session = await InferenceSession.create(model, ...places.reverse(), { ...options, onProgress });
    const { inputNames, outputNames, inputMetadata, outputMetadata } = session;
    return { inputNames, outputNames, inputMetadata, outputMetadata };
  },
  run: (feeds, fetches) => session.run(feeds, fetches),
  trainStep: (feeds) => session.trainStep(feeds),
  state: () => session.state(),
  profile: (feeds) => session.profile(feeds),
};

let last = Promise.resolve();
async function answer({ id, call, args }) {
  try {
    const result = await calls[call](...args);
    parent.postMessage({ id, result, memory: session.memory }, buffersOf(result));
  } catch ({ name, message, code }) {
    parent.postMessage({ id, error: { name, message, code }, memory: session?.memory });
  }
}
// One after the other, as they come.
const receive = (message) => (last = last.then(() => answer(message)));
if (globalThis.postMessage) globalThis.onmessage = ({ data }) => receive(data);
else {
  const threads = 'node:worker_threads';
  import(/* @vite-ignore */ /* webpackIgnore: true */ threads).then(({ parentPort }) => {
    parent = parentPort;
    parent.on('message', receive);
  });
}
