// Finds out by experiment which operator versions of backend/onnx/schema.def ONNX Runtime's CPU kernels serve, and for
// which element types: a model of one node is loaded for each. Writes what is missing as rows of backend/onnx/ort.def.
//
//   node probe_ort.mjs [--package onnxruntime-node] [--only OPERATOR] > ort.def
//
// A version that no model loads for has a row without a variable; otherwise each type variable of which some types are
// missing has a row with those that are there. Other failures than a missing kernel are printed on standard error: the
// model was not one that the operator accepts.
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as packages from '../../peers/packages.mjs';

process.env.ORT_DISABLE_TELEMETRY = '1';
process.env.ALLOW_RELEASED_ONNX_OPSET_ONLY ??= '0';

const { values: options } = parseArgs({ options: { package: { type: 'string', default: 'onnxruntime-node' }, only: { type: 'string' } } });
const root = path.resolve(import.meta.dirname, '../../..');
const ort = packages.load(options.package);

// --- The schema table ---------------------------------------------------------------------------------------------

const codes = {};
for (const [, name, bits, code] of fs.readFileSync(path.join(root, 'ir/dtype.def'), 'utf8').matchAll(/^TC_DTYPE\(\w+, "(\w+)", [^,]+, (\d+), \w+, (\d+),/gm))
  codes[name] = { code: Number(code), bits: Number(bits) };
const ieee = ['f16', 'f32', 'f64'];
const ints = ['i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64'];
const f8 = ['f8e4m3fn', 'f8e4m3fnuz', 'f8e5m2', 'f8e5m2fnuz'];
const plain = [...ieee, ...ints, 'bool', 'str', 'c64', 'c128'];
const sets = {
  ieee, ints, f8, plain,
  floats: [...ieee, 'bf16'], words: ['i32', 'i64', 'u32', 'u64'], bytes: ['i8', 'u8'], index: ['i32', 'i64'],
  numeric: [...ieee, 'bf16', ...ints], complex: ['c64', 'c128'], nibbles: ['u4', 'i4'], crumbs: ['u2', 'i2'],
};
sets.all13 = [...plain, 'bf16'];
sets.all19 = [...sets.all13, ...f8];
sets.all21 = [...sets.all19, 'u4', 'i4'];
sets.all23 = [...sets.all21, 'f4e2m1'];
sets.all24 = [...sets.all23, 'f8e8m0'];
sets.all25 = [...sets.all24, 'u2', 'i2'];

function cut(text, separator) {
  const parts = [''];
  let depth = 0;
  for (const c of text) {
    depth += c === '(' ? 1 : c === ')' ? -1 : 0;
    if (c === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += c;
  }
  return parts.filter((p) => p);
}

// A type is a string: f32, seq(f32), opt(seq(f32)), map(i64,f32).
function expand(text) {
  return cut(text, '|').flatMap((term) => {
    const inside = /^(seq|opt)\((.*)\)$/.exec(term);
    if (inside && !term.includes('map(')) return expand(inside[2]).map((t) => `${inside[1]}(${t})`);
    return sets[term] ?? [term];
  });
}

const unquoted = '"([^"]*)"';
const row = new RegExp(`^TC_SCHEMA\\(${unquoted}, ${unquoted}, (\\d+),\\s*${unquoted},\\s*${unquoted},\\s*${unquoted}\\)`, 'gm');
const schemas = [...fs.readFileSync(path.join(root, 'backend/onnx/schema.def'), 'utf8').matchAll(row)].map(
  ([, domain, name, since, signature, attributes, types]) => {
    const slots = (text) =>
      cut(text.trim(), ' ').map((word) => {
        const [, slot, type, mark] = /^([^:]+):(.*?)([?*]?)$/.exec(word);
        return { slot, type, optional: mark === '?', variadic: mark === '*' };
      });
    const [inputs, outputs] = (signature || '->').split('->').map(slots);
    return {
      domain, name, since: Number(since), inputs, outputs, deprecated: types === 'deprecated',
      attributes: Object.fromEntries(cut(attributes, ' ').map((a) => [a.split(':')[0], a.split(':')[1]])),
      variables: Object.fromEntries(cut(types === 'deprecated' ? '' : types, ' ').map((t) => [t.split('=')[0], expand(t.slice(t.indexOf('=') + 1))])),
    };
  });

// --- Models -------------------------------------------------------------------------------------------------------

const varint = (n) => {
  const bytes = [];
  for (let v = BigInt.asUintN(64, BigInt(n)); ; v >>= 7n) {
    if (v < 128n) return Buffer.from([...bytes, Number(v)]);
    bytes.push(Number(v & 127n) | 128);
  }
};
const number = (field, n) => Buffer.concat([varint(field << 3), varint(n)]);
const bytes = (field, content) => {
  const b = Buffer.isBuffer(content) ? content : Buffer.from(content);
  return Buffer.concat([varint((field << 3) | 2), varint(b.length), b]);
};
const join = (...parts) => Buffer.concat(parts.flat());
const real = (field, x) => {
  const b = Buffer.alloc(4);
  b.writeFloatLE(x);
  return Buffer.concat([varint((field << 3) | 5), b]);
};

function typeProto(type) {
  const inside = /^(seq|opt)\((.*)\)$/.exec(type);
  if (inside) return bytes(inside[1] === 'seq' ? 4 : 9, bytes(1, typeProto(inside[2])));
  const map = /^map\((\w+),(\w+)\)$/.exec(type);
  if (map) return bytes(5, join(number(1, codes[map[1]].code), bytes(2, typeProto(map[2]))));
  return bytes(1, number(1, codes[type].code));
}
const valueInfo = (name, type) => join(bytes(1, name), type ? bytes(2, typeProto(type)) : []);
// One element, all bits 0.
const tensor = (type) => join(number(1, 1), number(2, codes[type].code), type === 'str' ? bytes(6, '') : bytes(9, Buffer.alloc(Math.max(1, codes[type].bits / 8))));

function attribute(name, value) {
  const head = bytes(1, name);
  if (Buffer.isBuffer(value)) return join(head, bytes(5, value), number(20, 4));
  if (typeof value === 'string') return join(head, bytes(4, value), number(20, 3));
  if (value instanceof Float) return join(head, real(2, value.x), number(20, 1));
  if (typeof value === 'number') return join(head, number(3, value), number(20, 2));
  if (value.length && typeof value[0] === 'string') return join(head, value.map((v) => bytes(9, v)), number(20, 8));
  if (value.length && value[0] instanceof Float) return join(head, value.map((v) => real(7, v.x)), number(20, 6));
  return join(head, value.map((v) => number(8, v)), number(20, 7));
}
class Float {
  constructor(x) {
    this.x = x;
  }
}

const floats = (...list) => list.map((x) => new Float(x));
// What attributes are given: by name, or by operator for the types at hand. Those that are required and not named are 1.
const wanted = {
  kernel_shape: [1], blocksize: 1, direction: 'LEFT', equation: '...->...', pooled_shape: [1, 1], axis: 0, pixel_format: 'RGB',
  perm: [0], delimiter: ' ', lambd: new Float(1), alpha: new Float(1), beta: new Float(1), norm_coefficient: new Float(0),
  shape: [1], mode: 'standard',
};
const recurrent = () => ({ hidden_size: 1 });
const tree = {
  nodes_falsenodeids: [0], nodes_featureids: [0], nodes_hitrates: floats(0), nodes_missing_value_tracks_true: [0], nodes_modes: ['LEAF'],
  nodes_nodeids: [0], nodes_treeids: [0], nodes_truenodeids: [0], nodes_values: floats(0),
};
const labels = (type, ints) => (type === 'str' ? { classlabels_strings: ['a', 'b'] } : { [ints]: [0, 1] });
const extra = {
  Split: (s) => (s.since >= 18 ? { num_outputs: 1 } : {}),
  RNN: recurrent, GRU: recurrent, LSTM: recurrent,
  RegexFullMatch: () => ({ pattern: 'a' }),
  TfIdfVectorizer: (s, t) => ({ mode: 'TF', ngram_counts: [0], ngram_indexes: [0], max_skip_count: 0, ...(t.T === 'str' ? { pool_strings: ['a'] } : { pool_int64s: [1] }) }),
  LabelEncoder: (s, t) => {
    const lists = { f32: ['floats', floats(1)], i64: ['int64s', [1]], str: ['strings', ['a']] };
    const side = (part, type) => ({ [`${part}_${lists[type][0]}`]: lists[type][1] });
    if (lists[t.T1] && lists[t.T2]) return { ...side('keys', t.T1), ...side('values', t.T2) };
    return { keys_tensor: tensor(t.T1), values_tensor: tensor(t.T2), default_tensor: tensor(t.T2) };
  },
  CategoryMapper: () => ({ cats_int64s: [1], cats_strings: ['a'] }),
  DictVectorizer: (s, t) => (t.T1.startsWith('map(str') ? { string_vocabulary: ['a'] } : { int64_vocabulary: [1] }),
  FeatureVectorizer: () => ({ inputdimensions: [1] }),
  Imputer: (s, t) => (t.T === 'i64' ? { imputed_value_int64s: [1], replaced_value_int64: 0 } : { imputed_value_floats: floats(1) }),
  LinearClassifier: (s, t) => ({ coefficients: floats(1), intercepts: floats(0), ...labels(t.T2, 'classlabels_ints') }),
  LinearRegressor: () => ({ coefficients: floats(1), intercepts: floats(0) }),
  OneHotEncoder: (s, t) => (t.T === 'str' ? { cats_strings: ['a'] } : { cats_int64s: [1] }),
  SVMClassifier: (s, t) => ({ coefficients: floats(1), rho: floats(0), kernel_type: 'LINEAR', kernel_params: floats(0, 0, 0), ...labels(t.T2, 'classlabels_ints') }),
  SVMRegressor: () => ({ coefficients: floats(1), support_vectors: floats(1), n_supports: 1, rho: floats(0), kernel_type: 'LINEAR', kernel_params: floats(0, 0, 0) }),
  Scaler: () => ({ scale: floats(1), offset: floats(0) }),
  TreeEnsembleRegressor: () => ({ ...tree, n_targets: 1, target_ids: [0], target_nodeids: [0], target_treeids: [0], target_weights: floats(1) }),
  TreeEnsembleClassifier: (s, t) => ({ ...tree, class_ids: [0], class_nodeids: [0], class_treeids: [0], class_weights: floats(1), ...labels(t.T2, 'classlabels_int64s') }),
  TreeEnsemble: (s, t) => ({
    leaf_targetids: [0], leaf_weights: tensor(t.T), n_targets: 1, nodes_falseleafs: [1], nodes_falsenodeids: [0], nodes_featureids: [0],
    nodes_modes: tensor('u8'), nodes_splits: tensor(t.T), nodes_trueleafs: [1], nodes_truenodeids: [0], tree_roots: [0],
  }),
  ZipMap: (s, t) => (t.T.includes('map(str') ? { classlabels_strings: ['a'] } : { classlabels_int64s: [0] }),
};
const namesOutput = {
  Cast: 'to', EyeLike: 'dtype', RandomNormal: 'dtype', RandomUniform: 'dtype', RandomNormalLike: 'dtype', RandomUniformLike: 'dtype',
  Multinomial: 'dtype', Bernoulli: 'dtype', SequenceEmpty: 'dtype', HannWindow: 'output_datatype', HammingWindow: 'output_datatype',
  BlackmanWindow: 'output_datatype', MelWeightMatrix: 'output_datatype', DequantizeLinear: 'output_dtype', QuantizeLinear: 'output_dtype',
  BitCast: 'to',
};

function model(s, chosen, version) {
  const typeOf = (slot) => chosen[slot.type] ?? slot.type;
  const inputs = [];
  for (const slot of s.inputs) {
    if (slot.optional) {
      // An optional input is worth a try when only it has the variable.
      const alone = chosen[slot.type] && ![...s.inputs, ...s.outputs].some((o) => o !== slot && o.type === slot.type && !o.optional);
      const inOutput = s.outputs.some((o) => o.type === slot.type) && !s.inputs.some((o) => o.type === slot.type && !o.optional);
      inputs.push(alone || inOutput ? { name: slot.slot, type: typeOf(slot) } : null);
    } else {
      inputs.push({ name: slot.slot, type: typeOf(slot) });
    }
  }
  while (inputs.length && !inputs.at(-1)) inputs.pop();
  const attributes = {};
  for (const [name, kind] of Object.entries(s.attributes))
    if (kind.endsWith('!')) attributes[name] = wanted[name] ?? 1;
  Object.assign(attributes, extra[s.name]?.(s, chosen) ?? {});
  const output = s.outputs[0];
  const named = namesOutput[s.name];
  if (named && s.attributes[named] !== undefined && chosen[output.type] && !inputs.some((i, k) => i && s.inputs[k].type === output.type))
    attributes[named] = codes[chosen[output.type].replace(/^seq\((.*)\)$/, '$1')].code;
  if (s.name === 'ConstantOfShape') attributes.value = tensor(chosen[output.type]);
  if (s.name === 'Constant') attributes.value = tensor(chosen[output.type]);
  const outputs = s.outputs.filter((o) => !o.optional).map((o) => ({ name: `out_${o.slot}` }));
  const node = join(
    inputs.map((i) => bytes(1, i ? i.name : '')), outputs.map((o) => bytes(2, o.name)), bytes(4, s.name), bytes(7, s.domain),
    Object.entries(attributes).map(([name, value]) => bytes(5, attribute(name, value))));
  const graph = join(
    bytes(1, node), bytes(2, 'probe'), inputs.filter((i) => i).map((i) => bytes(11, valueInfo(i.name, i.type))),
    outputs.map((o) => bytes(12, valueInfo(o.name))));
  const opset = (domain, version) => bytes(8, join(bytes(1, domain), number(2, version)));
  const versions = s.domain ? [opset('', 18), opset(s.domain, version)] : [opset('', version)];
  return join(number(1, 10), bytes(7, graph), versions);
}

// --- The experiment -----------------------------------------------------------------------------------------------

// The session was made, only the JavaScript binding has no name for a type of an input or output.
const unnamedType = /^unsupported data type: \d+$/i;
const noKernel = /Could not find an implementation|NOT_IMPLEMENTED|is not a registered function|is invalid\.|Type Error|type inference failed|Failed to find kernel|MLDataType for/i;
// The first and the last opset of ai.onnx, among those that export writes, that have this version of the operator. What
// a runtime has as a function of other operators it may have at the first alone.
function opsets(s) {
  if (s.domain) return [s.since];
  const later = schemas.filter((o) => o.name === s.name && o.domain === s.domain && o.since > s.since).map((o) => o.since);
  return [...new Set([Math.max(13, s.since), Math.max(13, s.since, Math.min(25, ...later.map((v) => v - 1)))])];
}

async function loads(s, chosen) {
  for (const version of opsets(s)) if (!(await loadsAt(s, chosen, version))) return false;
  return true;
}

async function loadsAt(s, chosen, version) {
  try {
    const session = await ort.InferenceSession.create(model(s, chosen, version), { logSeverityLevel: 4, graphOptimizationLevel: 'disabled' });
    await session.release();
    return true;
  } catch (error) {
    if (unnamedType.test(error.message)) return true;
    if (!noKernel.test(error.message)) console.error(`${s.name} ${version} ${JSON.stringify(chosen)}: ${error.message}`);
    return false;
  }
}

const preferred = ['f32', 'i64', 'i32', 'u8', 'bool', 'str', 'f64', 'i8'];
const rank = (t) => (preferred.includes(t) ? preferred.indexOf(t) : preferred.length);

// Choices of a type for each variable, likely ones first; those in `fixed` are given, and tried for all variables.
function* combinations(variables, fixed = {}) {
  const names = Object.keys(variables);
  for (const t of Object.values(fixed))
    if (names.every((n) => variables[n].includes(t))) yield Object.fromEntries(names.map((n) => [n, t]));
  const lists = names.map((n) =>
    n in fixed ? [fixed[n]] : [...variables[n]].sort((a, b) => rank(a) - rank(b)).slice(0, codes[variables[n][0]] ? 4 : undefined));
  for (let code = 0; code < lists.reduce((n, l) => n * l.length, 1); code++) {
    let rest = code;
    yield Object.fromEntries(names.map((n, i) => {
      const t = lists[i][rest % lists[i].length];
      rest = Math.floor(rest / lists[i].length);
      return [n, t];
    }));
  }
}

async function some(s, choices) {
  for (const chosen of choices) if (await loads(s, chosen)) return chosen;
  return null;
}

const rows = [];
for (const s of schemas) {
  if (s.deprecated || (options.only && s.name !== options.only)) continue;
  // What runs regions takes any type.
  if (Object.values(s.attributes).some((kind) => kind === 'graph!')) continue;
  const base = await some(s, combinations(s.variables));
  if (!base) {
    rows.push({ s, variable: '', there: [], missing: [] });
    continue;
  }
  for (const [variable, types] of Object.entries(s.variables)) {
    const row = { s, variable, there: [], missing: [] };
    for (const t of types.filter((v) => codes[v] && codes[base[variable]])) {
      const there = (await loads(s, { ...base, [variable]: t })) || (await some(s, combinations(s.variables, { [variable]: t })));
      (there ? row.there : row.missing).push(t);
    }
    rows.push(row);
  }
}
// Element types that not even constants have need no rows of their own.
const taken = new Set(rows.filter((row) => row.s.name === 'Constant').flatMap((row) => row.there));
const unknown = Object.keys(codes).filter((t) => !taken.has(t));
console.log(`// What ${options.package} ${ort.env.versions[options.package.split('-').at(-1)]} has CPU kernels for, where that is less than the standard:
//   TC_ORT_NO_TENSORS(element types that no operator takes)
//   TC_ORT(domain, operator, since, type variable of schema.def, element types)
// Found by experiment: tests/backend/onnx/probe_ort.mjs writes this file.`);
console.log(`TC_ORT_NO_TENSORS("${unknown.join('|')}")`);
for (const { s, variable, there, missing } of rows)
  if (!variable || missing.some((t) => !unknown.includes(t)))
    console.log(`TC_ORT("${s.domain}", "${s.name}", ${s.since}, "${variable}", "${there.join('|')}")`);
console.log('#undef TC_ORT\n#undef TC_ORT_NO_TENSORS');
