/** A button with a list of actions below it. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

export type MenuItem =
  | {
      readonly label: string;
      readonly icon?: IconName;
      readonly kind?: 'danger';
      readonly disabled?: boolean;
      onSelect(): void;
    }
  | 'line';

interface MenuProps {
  readonly label: string;
  readonly icon: IconName;
  readonly items: readonly MenuItem[];
}

export function Menu({ label, icon, items }: MenuProps) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    itemsIn(root.current!)[0]?.focus();
    const outside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [open]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    const all = itemsIn(root.current!);
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) all[(to + all.length) % all.length]?.focus();
    else if (event.key === 'Escape') close();
    else if (event.key === 'Tab') setOpen(false);
    if (to !== undefined || event.key === 'Escape') event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the menu inside
    <div class="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        class="button"
        data-icon
        ref={button}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <Icon name={icon} />
      </button>
      {open && (
        <div class="menu-items" id={id} role="menu" aria-label={label}>
          {items.map((item, i) =>
            item === 'line' ? (
              <hr key={i} />
            ) : (
              <button
                key={item.label}
                type="button"
                class="menu-item"
                role="menuitem"
                tabindex={-1}
                data-kind={item.kind}
                disabled={item.disabled}
                onClick={() => {
                  close();
                  item.onSelect();
                }}
              >
                {item.icon && <Icon name={item.icon} />}
                {item.label}
              </button>
            ),
          )}
        </div>
      )}
    </div>
  );
}

function itemsIn(root: HTMLElement): HTMLButtonElement[] {
  return [...root.querySelectorAll<HTMLButtonElement>('[role=menuitem]:not(:disabled)')];
}
