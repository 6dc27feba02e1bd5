/** Rows that are not trained on: 30% of them, the same after every start. As `kindred train` splits them. */
export const SPLIT = { testFraction: 0.3, seed: 1 } as const;
