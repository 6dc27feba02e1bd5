import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface EmptyProps {
  readonly title: string;
  readonly icon?: IconName;
  /** Inside a card, where little room is. */
  readonly compact?: boolean;
  readonly children?: ComponentChildren;
}

/** A state with nothing to show: says why, and what to do. */
export function Empty({ title, icon = 'info', compact, children }: EmptyProps) {
  return (
    <div class="empty" data-compact={compact || undefined}>
      <Icon name={icon} size={compact ? 20 : 28} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
