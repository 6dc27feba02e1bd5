import type { ComponentChildren } from 'preact';
import type { Tone } from './badge.tsx';
import { Icon, type IconName } from './icon.tsx';

interface BannerProps {
  readonly tone?: Tone;
  readonly icon?: IconName;
  /** `alert` interrupts whoever listens to the page. */
  readonly role?: 'status' | 'alert';
  /** Beside the text, such as a button. */
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Banner({ tone = 'plain', icon = 'info', role, action, children }: BannerProps) {
  return (
    <div class="banner" data-tone={tone} role={role}>
      <Icon name={icon} />
      <p>{children}</p>
      {action}
    </div>
  );
}
