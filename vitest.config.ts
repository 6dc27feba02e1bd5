import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One more than there are cores: many tests wait, for browsers, servers and time-outs. CI has time, and wants calm.
    maxWorkers: process.env.CI ? availableParallelism() : availableParallelism() + 1,
    // A machine that stalls for a moment is not a bug; vitest lists what has passed only at the second attempt.
    retry: process.env.CI ? 1 : 0,
  },
});
