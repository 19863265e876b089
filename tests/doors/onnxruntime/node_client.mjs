// A Node program that uses npm's onnxruntime-node: runs each job of a JSON file and writes its inputs and outputs as
// .npz, and a line per job, `ok` or why not, to standard output.
//
//   node node_client.mjs JOBS.json     [{"model": M, "threads": N, "folder": DIR or "inputs": IN.npz, "save": OUT}, ...]
import fs from 'node:fs';
import path from 'node:path';
import { load } from '../../peers/packages.mjs';
import { readNpz, writeNpz } from '../../peers/npz.mjs';
import { parseTensorProto } from '../../peers/tensor_proto.mjs';

process.env.ORT_DISABLE_TELEMETRY = '1';
const ort = load('onnxruntime-node');
const library = fs.readFileSync('/proc/self/maps', 'utf8').split('\n').find((line) => line.includes('libonnxruntime'));
console.log(library.slice(library.indexOf('/')));

function inputsOf(job, names) {
  if (job.inputs) return readNpz(job.inputs);
  const arrays = {};
  names.forEach((name, i) => (arrays[name] = parseTensorProto(fs.readFileSync(path.join(job.folder, `input_${i}.pb`)))));
  return arrays;
}

for (const job of JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))) {
  let line = 'ok';
  try {
    const session = await ort.InferenceSession.create(job.model, { intraOpNumThreads: job.threads, logSeverityLevel: 4 });
    const inputs = inputsOf(job, session.inputNames);
    const feeds = {};
    for (const [name, { type, data, dims }] of Object.entries(inputs)) feeds[name] = new ort.Tensor(type, data, dims);
    const outputs = await session.run(feeds);
    if (job.folder) writeNpz(`${job.save}.in.npz`, inputs);
    writeNpz(`${job.save}.out.npz`, outputs);
    await session.release();
  } catch (error) {
    line = error.message.split('\n')[0];
  }
  console.log(line);
}
