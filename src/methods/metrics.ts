/** Metrics live beside the problem, where the simulator sees them too. */
export { type Metrics, meanMetrics, measure } from '../solver/metrics.ts';
