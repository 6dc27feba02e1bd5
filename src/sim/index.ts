export {
  type Calibration,
  calibrationFromText,
  fitCalibration,
  formulaText,
  type PassTimes,
} from './calibration.ts';
export { type ComputeModel, DEFAULT_COMPUTE, drawPassMs, meanPassMs } from './compute.ts';
export type { Crash, Deed } from './faults.ts';
export { calibrationFigure, curveFigure } from './figures.ts';
export type { Misbehaviour } from './misbehaving.ts';
export { type LinkFaults, type Partition, PERFECT_LINK } from './network.ts';
export { csvLines, jsonLines, type MetricName, type ObservedRow, Observer } from './observe.ts';
export type { ParticipantData } from './participant-node.ts';
export { HARDWARE, type ParticipantsOptions, participantsOf } from './participants.ts';
export { type PrivacyPoint, privacyCurve } from './privacy-curve.ts';
export { type RunRequest, runScenario } from './run.ts';
export {
  objectiveOf,
  parseScenario,
  type Scenario,
  type ScenarioInput,
  scenarioFromText,
} from './scenario.ts';
export {
  computeModel,
  generatedTable,
  planFrom,
  type ScenarioInputs,
  type ScenarioPlan,
} from './scenario-plan.ts';
export type { ChartWindow } from './sequence.ts';
export { sequenceChart } from './sequence-chart.ts';
export { Simulation, type SimulationPlan } from './simulation.ts';
export { type ContributionSummary, meanOf, type RunRecord, type RunSummary } from './summary.ts';
export type { TranscriptEntry } from './transcript.ts';
export { answeredBy, type Device, waitingTime } from './waiting-time.ts';
export type { Witness } from './witness.ts';
