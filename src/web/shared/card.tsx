import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface CardProps {
  readonly title: string;
  readonly note?: ComponentChildren;
  /** At the end of the head: switches, buttons. */
  readonly controls?: ComponentChildren;
  /** Content up to the edges, as of tables. */
  readonly flush?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Card({ title, note, controls, flush, class: more = '', children }: CardProps) {
  const id = useId();
  return (
    <section class={`card ${more}`} aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span class="card-note">{note}</span>}
        {controls}
      </div>
      <div class="card-body" data-flush={flush || undefined}>
        {children}
      </div>
    </section>
  );
}
