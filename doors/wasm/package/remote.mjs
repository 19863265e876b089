// Sessions in workers of their own, so that a page stays responsive while they load and run: what InferenceSession.create
// gives with env.wasm.proxy. runSync is not there, state() gives a promise.
import { TcError } from './module.mjs';
import { Tensor } from './tensor.mjs';

async function start() {
  if (globalThis.Worker) return new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' });
  const threads = 'node:worker_threads';
  const { Worker: Thread } = await import(/* @vite-ignore */ /* webpackIgnore: true */ threads);
  return new Thread(new URL('./worker.mjs', import.meta.url));
}

// What comes from a worker has lost its class.
function revived(value) {
  if (Array.isArray(value)) return value.map(revived);
  if (value instanceof Map) return new Map([...value].map(([k, v]) => [k, revived(v)]));
  return value?.data && value.dims ? new Tensor(value.type, value.data, value.dims) : value;
}
const revivedAll = (outputs) => Object.fromEntries(Object.entries(outputs).map(([k, v]) => [k, revived(v)]));

const errorOf = ({ name, message, code }) =>
  name === 'TcError' ? new TcError(message, code) : new ({ TypeError, RangeError }[name] ?? Error)(message);

export const create = ([model, ...rest], settings) => RemoteSession.create(model, rest, settings);

class RemoteSession {
  #worker;
  #waiting = new Map();
  #calls = 0;
  #ended;
  memory = 0;

  static async create(model, rest, settings) {
    const self = new RemoteSession();
    self.#worker = await start();
    const options = (typeof rest.at(-1) === 'object' && rest.at(-1)) || {};
    self.#listen(options.onProgress);
    const places = rest.filter((x) => typeof x === 'number');
    const { onProgress, ...others } = options;
    const from = (typeof model === 'string' || model instanceof URL) && globalThis.location ? new URL(model, location.href).href : model;
    const given = from instanceof URL ? from.href : from;
    try {
      Object.assign(self, await self.#call('create', given, [...places, others], { ...settings, proxy: false }, !!onProgress));
    } catch (error) {
      await self.release();
      throw error;
    }
    return self;
  }

  #listen(onProgress) {
    const receive = ({ id, result, error, memory, progress }) => {
      if (progress) return onProgress?.(progress);
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      this.memory = memory ?? 0;
      if (error) reject(errorOf(error));
      else resolve(result);
    };
    const failed = (error) => this.#end(new TcError(`the worker ended: ${error?.message ?? error}`, 'internal'));
    if (this.#worker.on) this.#worker.on('message', receive).on('error', failed);
    else Object.assign(this.#worker, { onmessage: ({ data }) => receive(data), onerror: failed });
  }
  #end(error) {
    this.#ended = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
  #call(call, ...args) {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const id = ++this.#calls;
      this.#waiting.set(id, { resolve, reject });
      try {
        this.#worker.postMessage({ id, call, args });
      } catch (error) {
        this.#waiting.delete(id);
        reject(error);
      }
    });
  }

  async run(feeds, fetches) {
    const named = fetches && (Array.isArray(fetches) || Object.keys(fetches).some((k) => this.outputNames.includes(k)));
    const names = named ? (Array.isArray(fetches) ? fetches : Object.keys(fetches)) : undefined;
    const outputs = revivedAll(await this.#call('run', feeds, names));
    if (named && !Array.isArray(fetches))
      for (const [name, into] of Object.entries(fetches)) if (into) into.data.set(outputs[name].data), (outputs[name] = into);
    return outputs;
  }
  runSync() {
    throw new Error('a session in a worker has no runSync; await run()');
  }
  async trainStep(feeds) {
    return revivedAll(await this.#call('trainStep', feeds));
  }
  async state() {
    return revivedAll(await this.#call('state'));
  }
  async profile(feeds) {
    const { outputs, steps } = await this.#call('profile', feeds);
    return { outputs: revivedAll(outputs), steps };
  }
  startProfiling() {}
  endProfiling() {}

  async release() {
    this.#end(new TcError('the session is released', 'bad-argument'));
    await this.#worker.terminate();
  }
}
