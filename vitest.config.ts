import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests on NATS take longest, waiting for elections and leases most of the time: begun last they would be waited for. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => moduleId.includes('/test/nats/');
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One more than there are cores: many tests wait, for browsers, servers and time-outs.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // A machine that stalls for a moment is not a bug; vitest lists what has passed only at the second attempt.
    retry: process.env.CI ? 1 : 0,
  },
});
