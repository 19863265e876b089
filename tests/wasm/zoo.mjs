// Networks of the zoo: what tc-web computes is what the native build does. node zoo.mjs PACKAGE BUILD [NAME...]
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { execFileSync } from 'node:child_process';
import { readNpz } from '../peers/npz.mjs';
import { done, expect, load } from './expect.mjs';
import { difference } from './values.mjs';

const [folder, build, ...wanted] = process.argv.slice(2);
const { InferenceSession, Tensor } = await load(folder);
const names = wanted.length ? wanted
  : ['mlp', 'mnist_cnn', 'mobilenet_v2', 'resnet18', 'lstm', 'lstm_tagger', 'gru_tagger', 'qdq_resnet18', 'dynamic_mlp',
    'qlinear_matmul', 'squeezenet', 'shufflenet_v2', 'conformer', 'recommender', 'generator', 'super_resolution', 'wavenet',
    'video', 'style_transfer'];
// Where bytes are rounded within, a sum that lies between two of them may fall to either.
const coarse = /^(qdq|dynamic|qlinear)/;

// Megabytes of memory, a ratchet.
const most = { mnist_cnn: 2.4, mobilenet_v2: 39, resnet18: 152 };

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'tc-wasm-'));
try {
  for (const name of names) {
    const file = (end) => path.join(scratch, `${name}${end}`);
    execFileSync(path.join(build, 'bin/tc-bench'), ['--save-models', scratch, `zoo:${name}`]);
    execFileSync(path.join(build, 'bin/tc-run'),
      [file('.onnx'), '--random', '1', '--save-inputs', file('.in.npz'), '--save', file('.out.npz')], { stdio: 'ignore' });
    const feeds = Object.fromEntries(
      Object.entries(readNpz(file('.in.npz'))).map(([k, { type, data, dims }]) => [k, new Tensor(type, data, dims)]));
    const session = await InferenceSession.create(file('.onnx'));
    const outputs = await session.run(feeds);
    const tolerance = { rtol: 1e-3, atolOfMax: coarse.test(name) ? 0.05 : 1e-4 };
    const problems = Object.entries(readNpz(file('.out.npz')))
      .map(([k, e]) => [k, difference(outputs[k], e, tolerance)]).filter(([, d]) => d).map(([k, d]) => `${k}: ${d}`);
    expect(problems.length === 0, `${name}${problems.length ? `: ${problems[0]}` : ''}, ${(session.memory / 1e6).toFixed(1)} MB`);
    if (most[name]) expect(session.memory <= 1e6 * most[name], `${name}: at most ${most[name]} MB`);
    await session.release();
    for (const end of ['.onnx', '.in.npz', '.out.npz']) fs.rmSync(file(end));
  }
} finally {
  fs.rmSync(scratch, { recursive: true });
}
done();
