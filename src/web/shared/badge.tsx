import type { ComponentChildren } from 'preact';

export type Tone = 'plain' | 'accent' | 'ok' | 'warn' | 'bad';

interface BadgeProps {
  readonly tone?: Tone;
  /** Something is going on. */
  readonly live?: boolean;
  readonly title?: string;
  readonly children: ComponentChildren;
}

export function Badge({ tone = 'plain', live, title, children }: BadgeProps) {
  return (
    <span class="badge" data-tone={tone} data-live={live || undefined} title={title}>
      {children}
    </span>
  );
}
