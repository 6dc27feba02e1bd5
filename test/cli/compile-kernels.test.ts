import { expect, test } from 'vitest';
import { compileKernelsFully } from '../../src/cli/compile-kernels.ts';
import { compileKernels } from '../../src/math/kernels-wasm.ts';

test('the module that was compiled fully is the one that kernels are made of', () => {
  compileKernelsFully();
  const first = compileKernels();
  compileKernelsFully();
  expect(compileKernels()).toBe(first);
});
