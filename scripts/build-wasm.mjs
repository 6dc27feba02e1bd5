// Compiles the kernels and writes them twice: as the .wasm file, and as base64 in a module, so that Node and browsers
// load them in the same way without a file system or a fetch. CI rebuilds both and compares.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const source = join(root, 'src/math/assembly/kernels.ts');
const wasm = join(root, 'src/math/kernels.wasm');
const asc = join(root, 'node_modules/assemblyscript/bin/asc.js');

execFileSync(
  process.execPath,
  [
    asc,
    source,
    '-O3',
    '--enable',
    'simd',
    '--runtime',
    'stub',
    '--importMemory',
    '--noAssert',
    '--outFile',
    wasm,
  ],
  { stdio: 'inherit', cwd: root },
);

const bytes = readFileSync(wasm);
// Not base64: compressed on its way to a page, hexadecimal digits take a quarter less.
const lines = bytes.toString('hex').match(/.{1,120}/g) ?? [];
writeFileSync(
  join(root, 'src/math/kernels.wasm.ts'),
  `// Made by scripts/build-wasm.mjs from kernels.wasm (${bytes.length} bytes). Do not edit.\nexport const KERNELS_WASM_HEX =\n${lines
    .map((line) => `  '${line}'`)
    .join(' +\n')};\n`,
);
console.log(`kernels.wasm: ${bytes.length} bytes`);
