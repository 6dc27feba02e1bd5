import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'icon' | 'size'> {
  readonly kind?: 'primary' | 'danger' | 'quiet';
  readonly size?: 'large';
  readonly icon?: IconName;
  /** What it does is under way: it takes no second press. */
  readonly busy?: boolean;
  readonly children: ComponentChildren;
}

export function Button({ kind, size, icon, busy, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class="button"
      data-kind={kind}
      data-size={size}
      aria-busy={busy}
      disabled={busy || rest.disabled}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes, 'icon' | 'label'> {
  readonly icon: IconName;
  /** For screen readers, and when pointed at. */
  readonly label: string;
  readonly kind?: 'quiet';
}

export function IconButton({ icon, label, kind = 'quiet', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class="button"
      data-icon
      data-kind={kind}
      aria-label={label}
      title={label}
    >
      <Icon name={icon} />
    </button>
  );
}
