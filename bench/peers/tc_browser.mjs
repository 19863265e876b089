// The worker of tc-bench for tc's own WebAssembly in headless Chromium.
import * as packages from '../../tests/peers/packages.mjs';
import { serveInBrowser } from './browser.mjs';

serveInBrowser({ name: 'tc-web', module: 'index.mjs', folder: packages.tcWeb, mostThreads: 1 });
