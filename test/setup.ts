/**
 * Property tests draw from a fixed seed, so that a run tests the code and not the weather; another seed with
 * KINDRED_TEST_SEED=<number>, more cases with KINDRED_TEST_RUNS=<number>.
 */
import fc from 'fast-check';

const { KINDRED_TEST_SEED, KINDRED_TEST_RUNS } = process.env;

fc.configureGlobal({
  seed: KINDRED_TEST_SEED ? Number(KINDRED_TEST_SEED) : 20261115,
  ...(KINDRED_TEST_RUNS && { numRuns: Number(KINDRED_TEST_RUNS) }),
});
