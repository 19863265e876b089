// Runs a model with ONNX Runtime, the peer that the tests compare with.
//
//   node ort_run.mjs MODEL --inputs IN.npz|DIR --save OUT.npz
//   node ort_run.mjs --spec SPEC.json
//
// DIR holds input_0.pb, input_1.pb, ... as in an ONNX backend test case. A spec runs one session several times:
//   {"model": M, "threads": 1, "optimize": true, "package": "onnxruntime-node",
//    "runs": [{"inputs": IN, "draws": SCRIPT, "feedback": {INPUT: OUTPUT}, "save": OUT}, ...]}
// A script of `draws` makes further inputs of the given ones, of which those go to the model that it has.
// Or it lists {"jobs": [{"model": M, "runs": [...]}, ...], "log": FILE, "package": P}: each is tried, and its line in the log says
// `ok`, or why it failed. Paths in it are relative to the spec. `feedback` takes an input from an output of the run before, which is how the
// state of a recurrent model goes from chunk to chunk. Exit status: 0, 1 on failure, 2 on wrong usage.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import * as packages from './packages.mjs';
import { readNpz, writeNpz } from './npz.mjs';
import { parseTensorProto } from './tensor_proto.mjs';

process.env.ORT_DISABLE_TELEMETRY = '1';
// Opsets that are newer than the runtime's released ones are loaded too.
process.env.ALLOW_RELEASED_ONNX_OPSET_ONLY ??= '0';

function specFromArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { inputs: { type: 'string' }, save: { type: 'string' }, spec: { type: 'string' } },
  });
  if (values.spec && positionals.length === 0) {
    const spec = JSON.parse(fs.readFileSync(values.spec, 'utf8'));
    const near = (file) => file && path.resolve(path.dirname(values.spec), file);
    for (const job of spec.jobs ?? [spec]) {
      job.model = near(job.model);
      for (const run of job.runs) [run.inputs, run.save, run.draws] = [run.inputs, run.save, run.draws].map(near);
    }
    spec.log = near(spec.log);
    return spec;
  }
  if (positionals.length !== 1 || values.spec) throw new Error('expected MODEL or --spec SPEC.json');
  return { model: positionals[0], runs: [values] };
}

function readInputs(from, names) {
  if (!from) return {};
  if (!fs.statSync(from).isDirectory()) return readNpz(from);
  const arrays = {};
  names.forEach((name, i) => {
    const file = path.join(from, `input_${i}.pb`);
    if (fs.existsSync(file)) arrays[name] = parseTensorProto(fs.readFileSync(file));
  });
  return arrays;
}

async function main(spec) {
  const ort = packages.load(spec.package ?? 'onnxruntime-node');
  const web = spec.package === 'onnxruntime-web';
  if (web) ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(web ? new Uint8Array(fs.readFileSync(spec.model)) : spec.model, {
    logSeverityLevel: spec.severity ?? 3,
    intraOpNumThreads: spec.threads ?? 1,
    graphOptimizationLevel: spec.optimize === false ? 'disabled' : 'all',
    // Without VNNI products of bytes saturate, unless it is told otherwise.
    ...(spec.exact ? { extra: { session: { x64quantprecision: '1' } } } : {}),
  });
  let before = {};
  for (const run of spec.runs) {
    const feeds = {};
    let given = readInputs(run.inputs, session.inputNames);
    if (run.draws) {
      const { draws } = await import(pathToFileURL(run.draws));
      given = Object.fromEntries(
        Object.entries({ ...given, ...draws(given) }).filter(([name]) => session.inputNames.includes(name)),
      );
    }
    for (const [name, { type, data, dims }] of Object.entries(given)) feeds[name] = new ort.Tensor(type, data, dims);
    for (const [input, output] of Object.entries(run.feedback ?? {})) if (before[output]) feeds[input] = before[output];
    before = await session.run(feeds);
    if (run.save) writeNpz(run.save, before);
    else for (const [name, t] of Object.entries(before)) console.log(`${name}: ${t.type} [${t.dims}]`);
  }
  await session.release();
}

async function batch({ jobs, log, package: name }) {
  for (const job of jobs) {
    let line = 'ok';
    try {
      await main({ package: name, ...job });
    } catch (error) {
      line = error.message.replaceAll('\n', ' ');
    }
    fs.appendFileSync(log, line + '\n');
  }
}

let spec;
try {
  spec = specFromArguments();
} catch (error) {
  console.error(`ort_run: ${error.message}`);
  process.exit(2);
}
try {
  await (spec.jobs ? batch(spec) : main(spec));
} catch (error) {
  console.error(`ort_run: ${spec.model}: ${error.message}`);
  process.exit(1);
}
