// tc in a page, a worker or Node: ONNX models, by tc.wasm beside this file. The interface is that of onnxruntime-web;
// what is more is in README.md.
import { InferenceSession as Session, Tensor, env } from './session.mjs';

export { Tensor, env };
export { TcError } from './module.mjs';

export class InferenceSession extends Session {
  static async create(...args) {
    return env.wasm.proxy ? (await import('./remote.mjs')).create(args, env.wasm) : super.create(...args);
  }
}

export default { InferenceSession, Tensor, env };
