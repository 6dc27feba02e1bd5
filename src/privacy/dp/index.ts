export { composed, costOfRound, type RdpCurve, type Spent, spentAt } from './accountant.ts';
export { Budget, type PrivacyLimit, type StoredBudget } from './budget.ts';
export { epsilonOf, noiseFor } from './calibrate.ts';
export { clipFactor, clippedStep } from './clip.ts';
export { discreteGaussian, discreteNoise, gridShare, towardZero } from './discrete-gaussian.ts';
export {
  type GaussianSettings,
  gaussianNoise,
  multiplierOf,
  noiseDeviation,
  noisedShare,
  noisedSum,
  shareDeviation,
} from './gaussian.ts';
export { NoisyCombiner } from './noisy-combiner.ts';
export { ORDERS, type RoundSettings, rdpOfRound } from './rdp.ts';
export { checkDpSettings, type DpSettings } from './settings.ts';
