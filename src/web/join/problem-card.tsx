/** What stops somebody, and what they can do about it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { Icon } from '../shared/icon.tsx';
import type { Problem, Remedy } from './problems.ts';

const LABELS: Readonly<Record<Remedy, string>> = {
  reload: 'Load the page again',
  data: 'Choose other data',
  name: 'Choose another name',
  'start over': 'Delete and start over',
  retry: 'Try again',
};

interface ProblemCardProps {
  readonly problem: Problem;
  /** The only content of the page, or a part of it. */
  readonly level: 'page' | 'part';
  /** What the page can do here; remedies without an action are not offered. */
  readonly actions: Partial<Record<Remedy, () => unknown>>;
  readonly children?: ComponentChildren;
}

export function ProblemCard({ problem, level, actions, children }: ProblemCardProps) {
  const { title, text, details, code, remedies } = problem;
  const offered = remedies.filter((remedy) => actions[remedy]);
  const box = useRef<HTMLElement>(null);
  const Title = level === 'page' ? 'h1' : 'h2';
  // It comes in answer to something that was pressed further down.
  useEffect(() => {
    if (level === 'part') box.current?.scrollIntoView({ block: 'nearest' });
  }, [problem]);
  return (
    <section class="card problem" data-level={level} role="alert" ref={box}>
      <Icon name="alert" size={level === 'page' ? 28 : 20} />
      <div class="problem-text">
        <Title tabIndex={-1}>{title}</Title>
        <p>{text}</p>
        {children}
        {offered.length > 0 && (
          <div class="buttons">
            {offered.map((remedy, i) => (
              <Button key={remedy} {...(i === 0 && { kind: 'primary' as const })} onClick={actions[remedy]}>
                {LABELS[remedy]}
              </Button>
            ))}
          </div>
        )}
        {details !== undefined && (
          <details class="fine">
            <summary>For whoever helps you</summary>
            <p>
              <code>{code}</code> {details}
            </p>
          </details>
        )}
      </div>
    </section>
  );
}
