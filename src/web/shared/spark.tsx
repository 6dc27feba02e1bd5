/** A curve without axes, as wide as there is room. */
import { sparkPath } from './spark-path.ts';

interface SparkProps {
  readonly values: readonly (number | null)[];
  readonly scale: 'linear' | 'log';
  readonly label: string;
}

export function Spark({ values, scale, label }: SparkProps) {
  const path = sparkPath(values, scale);
  return (
    <svg class="spark" viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label={label}>
      {path !== '' && (
        <>
          <path d={`${path}V30H0Z`} fill="var(--accent)" opacity="0.08" />
          <path
            d={path}
            fill="none"
            stroke="var(--accent)"
            stroke-width="1.5"
            stroke-linejoin="round"
            vector-effect="non-scaling-stroke"
          />
        </>
      )}
    </svg>
  );
}
