// ONNX's backend cases through tc-web: node suite.mjs PACKAGE FOLDER KNOWN_FAILURES [FILTER]
//
// What tc-run --suite does natively. A listed case that passes fails the test, so that the list only shrinks.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { difference, numbers, parseValue } from './values.mjs';

const [folder, cases, known, filter = ''] = process.argv.slice(2);
const { InferenceSession, Tensor } = await import(pathToFileURL(path.resolve(folder, 'index.mjs')));

const tensors = (value) =>
  value === null ? null : Array.isArray(value) ? value.map(tensors) : new Tensor(value.type, value.data, value.dims);

// Spectra were computed in f32 by another algorithm; one epsilon is not what the model says (tools/run/suite.cc).
function toleranceOf(name) {
  if (/dft/.test(name)) return { atolOfMax: 1e-6 };
  return /adam_multiple/.test(name) ? { rtol: 1e-2 } : {};
}

// What a case that draws numbers cannot have drawn, or undefined for other cases.
function implausible(name, inputs, got) {
  if (/zero_ratio/.test(name) || !/bernoulli|training_dropout/.test(name)) return undefined;
  if (got.type === 'bool') return '';
  const drawn = Array.from(numbers(got) ?? got.data, Number);
  if (/bernoulli/.test(name)) return drawn.every((v) => v === 0 || v === 1) ? '' : 'neither 0 nor 1';
  const x = numbers(inputs[0]), ratio = inputs[1] ? numbers(inputs[1])[0] : 0.5;
  const kept = (v, i) => v === 0 || Math.abs(v - x[i] / (1 - ratio)) <= 1e-3 * Math.abs(x[i] / (1 - ratio));
  return drawn.every(kept) ? '' : 'neither dropped nor kept';
}

// Old cases store bfloat16 data as uint16; a few store less than the model declares of an input that nothing reads.
function readInput(file, meta) {
  let value = parseValue(fs.readFileSync(file), meta);
  if (!meta.isTensor) return value;
  if (meta.type === 'bfloat16' && value.type === 'uint16') value = { ...value, type: 'bfloat16' };
  if (value.type !== meta.type || !meta.shape.length || !meta.shape.every(Number.isInteger)) return value;
  const count = meta.shape.reduce((a, b) => a * b, 1);
  if (count === value.data.length || Array.isArray(value.data)) return value;
  return { type: value.type, dims: meta.shape, data: new value.data.constructor(count) };
}

async function check(name, place) {
  const sets = fs.readdirSync(place).filter((n) => n.startsWith('test_data_set_')).sort();
  if (!sets.length) return 'no test_data_set_* folder';
  const session = await InferenceSession.create(path.join(place, 'model.onnx'));
  try {
    for (const set of sets) {
      const inputs = session.inputMetadata.map((meta, i) => readInput(path.join(place, set, `input_${i}.pb`), meta));
      const feeds = Object.fromEntries(session.inputNames.map((n, i) => [n, tensors(inputs[i])]));
      const outputs = await session.run(feeds);
      for (const [i, meta] of session.outputMetadata.entries()) {
        const got = outputs[meta.name];
        let expected = parseValue(fs.readFileSync(path.join(place, set, `output_${i}.pb`)), meta);
        let tolerance = toleranceOf(name);
        if (got?.type === 'bfloat16' && expected.type === 'uint16')
          [expected, tolerance] = [{ ...expected, type: 'bfloat16' }, { rtol: 2 ** -7 }];
        const d = implausible(name, inputs, got) ?? difference(got, expected, tolerance);
        if (d) return `output '${meta.name}': ${d}`;
      }
    }
    return '';
  } finally {
    await session.release();
  }
}

const listed = new Set(
  fs.readFileSync(known, 'utf8').split('\n').map((line) => line.replace(/#.*/, '').trim()).filter(Boolean),
);
const names = fs.readdirSync(cases, { recursive: true })
  .filter((f) => path.basename(f) === 'model.onnx').map((f) => path.dirname(f)).filter((n) => n.includes(filter)).sort();
let passed = 0, failed = 0, skipped = 0;
for (const name of names) {
  const reason = await check(name, path.join(cases, name)).catch((error) => error.message.replaceAll('\n', ' '));
  const fault = /ended by a fault/.test(reason);
  if (!reason && listed.has(name)) ++failed, console.log(`FAIL ${name}: passes, but is listed in ${known}: remove it there`);
  else if (!reason) ++passed;
  else if (listed.has(name) && !fault) ++skipped;
  else ++failed, console.log(`FAIL ${name}: ${reason}`);
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed || !names.length ? 1 : 0);
