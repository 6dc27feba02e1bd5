/** Short messages at the edge of the page: what an action has come to. */
import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from './button.tsx';
import { Cell, useCell } from './cell.ts';
import { Icon } from './icon.tsx';

interface Message {
  readonly id: number;
  readonly tone: 'ok' | 'bad';
  readonly text: string;
}

const OK_MS = 5000;
const MOST = 4;

const messages = new Cell<readonly Message[]>([]);
let last = 0;

/** A failure stays until it is closed. */
export function toast(tone: Message['tone'], text: string): void {
  const id = ++last;
  messages.set([...messages.value, { id, tone, text }].slice(-MOST));
  if (tone === 'ok') setTimeout(() => dismiss(id), OK_MS);
}

function dismiss(id: number): void {
  messages.set(messages.value.filter((message) => message.id !== id));
}

/** Once in a page. */
export function Toasts() {
  const shown = useCell(messages);
  const box = useRef<HTMLDivElement>(null);
  // Shown again with every change, to be above a dialog that was opened since.
  useEffect(() => {
    box.current?.hidePopover?.();
    if (shown.length > 0) box.current?.showPopover?.();
  }, [shown]);
  return (
    <div class="toasts" popover="manual" ref={box} role="status" aria-live="polite">
      {shown.map(({ id, tone, text }) => (
        <div class="toast" key={id} data-tone={tone}>
          <Icon name={tone === 'ok' ? 'check' : 'alert'} />
          <p>{text}</p>
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
