export { composed, costOfRound, type RdpCurve, type Spent, spentAt } from './accountant.ts';
export { Budget, type PrivacyLimit, type StoredBudget } from './budget.ts';
export { epsilonOf, noiseFor } from './calibrate.ts';
export { clipFactor, clipProposal, clipUpdate, updateNorm } from './clip.ts';
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
export { certificateUnderNoise, conservationError } from './noisy-model.ts';
export { ORDERS, type RoundSettings, rdpOfRound } from './rdp.ts';
export { scaledUpdate, shortenedState } from './scaled-step.ts';
export { checkDpSettings, type DpSettings } from './settings.ts';
