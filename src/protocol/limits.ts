/** The most a decoder takes. Everything is checked before anything is allocated. */
export interface Limits {
  readonly maxFrameBytes: number;
  /** Before the bias: a vector may be one longer. */
  readonly maxFeatures: number;
  readonly maxIdBytes: number;
  readonly maxTextBytes: number;
  /** Names of classes, each of at most `maxIdBytes`. */
  readonly maxLabels: number;
  /** Of one text column, each of at most `maxIdBytes`. */
  readonly maxLevels: number;
  /** In a roster: what secure aggregation sends for each is bounded by it. */
  readonly maxParticipants: number;
}

export const DEFAULT_LIMITS: Limits = {
  maxFrameBytes: 64 * 1024 * 1024,
  maxFeatures: 1_000_000,
  maxIdBytes: 200,
  maxTextBytes: 100_000,
  maxLabels: 100,
  maxLevels: 1000,
  maxParticipants: 65_535,
};
