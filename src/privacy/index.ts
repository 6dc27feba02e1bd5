export {
  drawBeta,
  drawMask,
  type MaskSemantics,
  type MaskSettings,
  maskedDuals,
  maskedStep,
} from './masks.ts';
