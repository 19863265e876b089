// The worker of tc-bench for tc's own WebAssembly in node.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as packages from '../../tests/peers/packages.mjs';
import { serveInNode } from './node.mjs';

serveInNode({
  name: 'tc-web',
  folder: packages.tcWeb,
  module: () => import(pathToFileURL(path.join(packages.tcWeb(), 'index.mjs'))),
  mostThreads: 1,
});
