import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Arena } from '../../src/math/arena.ts';
import type { Kernels } from '../../src/math/kernels.ts';
import { createWasmKernels } from '../../src/math/kernels-wasm.ts';
import { LOSS_NAMES, type LossName } from '../../src/settings/losses.ts';
import { LocalSolve } from '../../src/solver/local-solve.ts';
import { Shard } from '../../src/solver/shard.ts';
import { chromium, pageResult } from '../helpers/chromium.ts';

const dist = join(import.meta.dirname, '../../dist');

interface Parts {
  readonly Arena: typeof Arena;
  readonly LocalSolve: typeof LocalSolve;
  readonly Shard: typeof Shard;
}

/** u of a whole local solve; the page runs its text, so that it knows nothing but its arguments. */
function solved({ Arena, LocalSolve, Shard }: Parts, kernels: Kernels, loss: LossName): number[] {
  const isOfNumbers = loss === 'epsilon-insensitive' || loss === 'quantile';
  const objective = isOfNumbers ? 'regression' : 'classification';
  const y = Float64Array.from({ length: 40 }, (_, i) => (i % 3 ? 1 : -1));
  const write = (i: number, row: Float32Array) => {
    for (let j = 0; j < 20; j++) row[j] = ((i * 7 + j * 13) % 17) / 17 - 0.5 + 0.1 * y[i];
  };
  const settings = { objective, loss, c1: 1, c2: 1, epsilon: 0.1, quantile: 0.8 } as const;
  const shard = new Shard(new Arena(kernels), settings, { n: 40, d: 20, y, write });
  shard.load(shard.startingBeta(), new Float64Array(20));
  new LocalSolve(shard, { sigma: 1, tolerance: 1e-6, seed: 5 }).runPasses(20);
  return [...shard.combine(shard.beta)];
}

/** The built kernels, as they are, in a page: SIMD against plain JavaScript, for every loss. */
const PAGE = `<!doctype html><title>kernels</title><pre id="out">nothing</pre><script type="module">
  import { Arena } from '/math/arena.js';
  import { JsKernels } from '/math/kernels-js.js';
  import { createWasmKernels } from '/math/kernels-wasm.js';
  import { LocalSolve } from '/solver/local-solve.js';
  import { LOSS_NAMES } from '/settings/losses.js';
  import { Shard } from '/solver/shard.js';
  const solved = ${solved};
  const run = (create) => LOSS_NAMES.map((loss) => solved({ Arena, LocalSolve, Shard }, create(), loss));
  const wasm = run(createWasmKernels);
  const plain = run(() => new JsKernels());
  document.getElementById('out').textContent = JSON.stringify({ name: new Arena().kernels.name, wasm, plain });
</script>`;

let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname);
    try {
      const page = path === '/';
      response.setHeader('content-type', page ? 'text/html' : 'text/javascript');
      response.end(page ? PAGE : readFileSync(join(dist, path)));
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

test.skipIf(!chromium)(
  'kernels and solver run in a browser as built, and give the bits that Node gives',
  async () => {
    const { port } = server.address() as AddressInfo;
    const { name, wasm, plain } = await pageResult<{ name: string; wasm: number[][]; plain: number[][] }>(
      `http://127.0.0.1:${port}/`,
    );
    expect(name).toBe('wasm-simd');
    const here = LOSS_NAMES.map((loss) => solved({ Arena, LocalSolve, Shard }, createWasmKernels(), loss));
    expect(wasm).toEqual(here);
    expect(plain).toEqual(here);
    for (const u of here) expect(u.some((value) => value !== 0)).toBe(true);
  },
);
