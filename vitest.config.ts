import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Vitest leaves one core to itself: on two that is one worker, and half of the machine idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
