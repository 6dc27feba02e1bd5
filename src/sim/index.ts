export { type ComputeModel, DEFAULT_COMPUTE, drawPassMs, meanPassMs } from './compute.ts';
export type { Crash, Deed } from './faults.ts';
export { type LinkFaults, type Partition, PERFECT_LINK } from './network.ts';
export type { ParticipantData } from './participant-node.ts';
export { HARDWARE, type ParticipantsOptions, participantsOf } from './participants.ts';
export { Simulation, type SimulationPlan } from './simulation.ts';
export type { TranscriptEntry } from './transcript.ts';
