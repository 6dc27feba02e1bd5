/** Rows, models and predictions for pages, at `/kindred-models.js` of every server: what taking part does not need. */
export {
  type Evaluation,
  evaluate,
  type Metrics,
  type Model,
  modelFor,
  modelFromJson,
  modelToJson,
  type ParticipantRows,
  type PersonaliseOptions,
  type PersonaliseResult,
  type PredictOptions,
  type Prediction,
  personalise,
  predict,
  rowsOfParticipant,
  tableFrom,
} from './kindred-core.ts';
