/** A value that components show: whoever uses it renders again when it is set to another one. */
import { useEffect, useState } from 'preact/hooks';

export interface Watchable<T> {
  readonly value: T;
  /** Calls after every change, until what it gives is called. */
  watch(onChange: () => void): () => void;
}

export class Cell<T> implements Watchable<T> {
  private current: T;
  private readonly watchers = new Set<() => void>();

  constructor(initial: T) {
    this.current = initial;
  }

  get value(): T {
    return this.current;
  }

  set(value: T): void {
    if (Object.is(value, this.current)) return;
    this.current = value;
    this.changed();
  }

  /** For what was changed in place. */
  changed(): void {
    for (const watcher of [...this.watchers]) watcher();
  }

  watch(onChange: () => void): () => void {
    this.watchers.add(onChange);
    return () => this.watchers.delete(onChange);
  }
}

export function useCell<T>(cell: Watchable<T>): T {
  const [, render] = useState(0);
  useEffect(() => {
    // It may have changed between rendering and now.
    render((n) => n + 1);
    return cell.watch(() => render((n) => n + 1));
  }, [cell]);
  return cell.value;
}
