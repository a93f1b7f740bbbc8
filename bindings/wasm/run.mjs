#!/usr/bin/env -S node --no-warnings
// Runs a test binary of the target wasm32-wasip1; Cargo calls it (.cargo/config.toml). A run in which no test ran fails.
// SIMD128=yes or SIMD128=no in the environment: fails unless the module was compiled with it, or without.

import { readFile } from 'node:fs/promises';
import { argv, env, exit } from 'node:process';
import { WASI } from 'node:wasi';

const [file, ...args] = argv.slice(2);
const module = await WebAssembly.compile(await readFile(file));

if (env.SIMD128) {
  const [features] = WebAssembly.Module.customSections(module, 'target_features');
  if (!features) fail('the module does not name its features: it is stripped');
  // A sign, the length of the name, the name.
  const found = Buffer.from(features).includes('+\x07simd128') ? 'yes' : 'no';
  if (found !== env.SIMD128) fail(`the module was to have SIMD128=${env.SIMD128}, and has ${found}`);
}

// A panic ends the module, so nothing would print the captured output.
const wasi = new WASI({ version: 'preview1', args: [file, '--nocapture', ...args], returnOnExit: true });

// The output is read: the exit code does not tell how many tests ran. It is shown when a test fails, and of runs that pass
// only the result.
let output = '';
wasi.wasiImport.fd_write = (fd, pieces, count, written) => {
  const { buffer } = instance.exports.memory;
  const view = new DataView(buffer);
  let taken = 0;
  for (let piece = pieces; piece < pieces + 8 * count; piece += 8) {
    const bytes = Buffer.from(buffer, view.getUint32(piece, true), view.getUint32(piece + 4, true));
    output += bytes.toString('latin1');
    taken += bytes.length;
  }
  view.setUint32(written, taken, true);
  return 0;
};

const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
let code;
try {
  code = wasi.start(instance);
} catch (error) {
  // A panic aborts, and an abort is a trap.
  if (error instanceof WebAssembly.RuntimeError) fail(`a test failed: ${error.message}`);
  throw error;
}
if (code !== 0) fail(`it ended with ${code}`);
const ran = [...output.matchAll(/^test result: ok\. (\d+) passed/gm)].reduce((sum, [, passed]) => sum + Number(passed), 0);
// Arguments choose tests, and this binary may have none of them.
if (ran === 0 && args.length === 0) fail('no test ran');

// With arguments the user has chosen tests, and looks at them.
const shown = args.length === 0 ? (output.match(/^test result: .*$/gm)?.join('\n') ?? '') : output;
if (shown) console.log(Buffer.from(shown, 'latin1').toString());

function fail(why) {
  console.error(Buffer.from(output, 'latin1').toString());
  console.error(`bindings/wasm/run.mjs: ${file}: ${why}`);
  exit(101);
}
