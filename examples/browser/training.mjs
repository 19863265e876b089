// The exported train step, run again and again: its outputs "new_NAME" are the inputs NAME of the next step.
import { side, slice } from './digits.mjs';

const arrays = { F32: ['float32', Float32Array], I64: ['int64', BigInt64Array] };

// The tensors of a safetensors file (8 bytes: length of the JSON header; the header; the data) by name.
export function readSafetensors(ort, buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const result = {};
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    if (!arrays[entry.dtype]) throw new Error(`${name} has the element type ${entry.dtype}`);
    const [type, View] = arrays[entry.dtype];
    const [begin, end] = entry.data_offsets;
    result[name] = new ort.Tensor(type, new View(buffer.slice(8 + length + begin, 8 + length + end)), entry.shape);
  }
  return result;
}

export class Training {
  constructor(ort, session, state, digits, batch) {
    Object.assign(this, { ort, session, state, digits, batch, steps: 0 });
    for (const name of session.inputNames)
      if (name !== 'images' && name !== 'labels' && !state[name]) throw new Error(`the initial state lacks ${name}`);
  }

  // One step on the next batch; the loss before its update.
  async step() {
    const n = this.batch;
    const first = (this.steps * n) % (this.digits.count - n + 1);
    const labels = BigInt64Array.from(this.digits.labels.subarray(first, first + n), BigInt);
    const outputs = await this.session.run({
      ...this.state,
      images: new this.ort.Tensor('float32', slice(this.digits, first, n), [n, 1, side, side]),
      labels: new this.ort.Tensor('int64', labels, [n]),
    });
    for (const [name, tensor] of Object.entries(outputs)) if (name.startsWith('new_')) this.state[name.slice(4)] = tensor;
    ++this.steps;
    return outputs.loss.data[0];
  }
}

