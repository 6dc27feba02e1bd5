export {
  drawBeta,
  drawMask,
  type MaskSemantics,
  type MaskSettings,
  maskedProposal,
  type Proposal,
} from './masks.ts';
