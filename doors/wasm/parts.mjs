// What single.mjs starts from: node parts.mjs LINKED MAP FOLDER
//
// tc.linked.wasm, the module before it is optimised, for inlining puts what is never called into what is; and
// tc.symbols.json, from the linker's map, where each object of its data lies: [begin, end, kind], kind 's' for merged
// texts, 'f' for an op's facts, 't' for what may be read from a place before it, 'x' for others.
import fs from 'node:fs';
import path from 'node:path';
import { parse, write } from './package/binary.mjs';

const [linked, map, folder] = process.argv.slice(2);
const rows = [];
let data = false;
for (const line of fs.readFileSync(map, 'utf8').split('\n')) {
  const found = /^ *([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+) ( *)(\S.*)$/.exec(line);
  if (!found) {
    data = / DATA$/.test(line);
    continue;
  }
  const [, address, bytes, indent, name] = found;
  if (!data || indent.length !== 8) continue;
  const begin = parseInt(address, 16), end = begin + parseInt(bytes, 16);
  const kind = /5factsE\)$/.test(name) ? 'f' : /^<internal>:\(\.rodata\)/.test(name) ? 's' : /_ZT[VISC]|\.L(\.|__)|\.str|constinit/.test(name) ? 'x' : 't';
  if (end > begin) rows.push([begin, end, kind]);
}
if (!rows.length) throw new Error(`${map} has no rows of data`);
fs.writeFileSync(path.join(folder, 'tc.symbols.json'), JSON.stringify(rows));
const module = parse(new Uint8Array(fs.readFileSync(linked)));
fs.writeFileSync(path.join(folder, 'tc.linked.wasm'), write({ ...module, custom: [] }));
