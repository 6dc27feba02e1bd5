import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from './api.ts';
import { Banner } from './banner.tsx';
import { Button, IconButton } from './button.tsx';
import { Field } from './field.tsx';

interface DialogProps {
  readonly title: string;
  readonly size?: 'wide' | 'sheet';
  onClose(): void;
  readonly children: ComponentChildren;
}

/** Modal while it is rendered; the focus goes back to where it was. */
export function Dialog({ title, size, onClose, children }: DialogProps) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too
    <dialog
      class="dialog"
      data-size={size}
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        // By Escape. The page decides, or it would not know.
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** The button's, a verb: what happens. */
  readonly action: string;
  readonly kind?: 'primary' | 'danger';
  /** To be typed in before. */
  readonly typed?: string;
  onConfirm(): Promise<void>;
  onClose(): void;
  /** What will happen, and what cannot be undone. */
  readonly children: ComponentChildren;
}

/** Asks before something is done; shows a refusal in place. */
export function Confirm({
  title,
  action,
  kind = 'danger',
  typed,
  onConfirm,
  onClose,
  children,
}: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [text, setText] = useState('');
  const act = async (event: Event) => {
    event.preventDefault();
    if (busy || (typed !== undefined && text !== typed)) return;
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="dialog-body" style={{ padding: '0' }} onSubmit={act}>
        {children}
        {typed !== undefined && (
          <Field label={`Type ${typed} to confirm`}>
            {(control) => (
              <input
                {...control}
                class="input"
                autocomplete="off"
                spellcheck={false}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            )}
          </Field>
        )}
        {failure !== undefined && (
          <Banner tone="bad" icon="alert" role="alert">
            {failure}
          </Banner>
        )}
        <div class="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind={kind} busy={busy} disabled={typed !== undefined && text !== typed}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
