import type { ComponentChildren } from 'preact';

/** Inside `<dl class="stats">`. */
interface StatProps {
  readonly label: string;
  readonly value: ComponentChildren;
  /** Beside the value, smaller: its unit, or what it is out of. */
  readonly of?: ComponentChildren;
  readonly note?: ComponentChildren;
  readonly title?: string;
  readonly children?: ComponentChildren;
}

export function Stat({ label, value, of, note, title, children }: StatProps) {
  return (
    <div class="stat" title={title}>
      <dt>{label}</dt>
      <dd>
        <div class="stat-value">
          {value}
          {of !== undefined && <small>{of}</small>}
        </div>
        {children}
        {note !== undefined && <div class="stat-note">{note}</div>}
      </dd>
    </div>
  );
}

export function Stats({ children }: { readonly children: ComponentChildren }) {
  return <dl class="stats">{children}</dl>;
}
