/** `kindred/browser`: what a page can use. The browser's own ports are not part of it yet. */
export * from './client-core.ts';
export {
  type Evaluation,
  evaluate,
  KindredError,
  type Metrics,
  type ByteSource,
  type Model,
  modelFor,
  modelFromJson,
  modelToJson,
  type ParseOptions,
  type ParticipantRows,
  type PersonaliseOptions,
  type PersonaliseResult,
  type Prediction,
  parseTable,
  personalise,
  predict,
  rowsOfParticipant,
  type Table,
  tableFrom,
} from './kindred-core.ts';
