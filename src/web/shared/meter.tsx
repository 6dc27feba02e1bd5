import type { Tone } from './badge.tsx';

interface MeterProps {
  /** In [0, 1]; what is beyond is cut. */
  readonly share: number;
  /** Undefined: the text beside it says the same. */
  readonly label?: string;
  readonly tone?: Tone;
}

export function Meter({ share, label, tone = 'accent' }: MeterProps) {
  const shown = Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0));
  const described = label
    ? ({
        role: 'meter',
        'aria-label': label,
        'aria-valuemin': 0,
        'aria-valuemax': 1,
        'aria-valuenow': shown,
      } as const)
    : ({ 'aria-hidden': 'true' } as const);
  return (
    <span class="meter" data-tone={tone} {...described}>
      <i style={{ transform: `scaleX(${shown})` }} />
    </span>
  );
}
