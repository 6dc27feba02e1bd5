/** A place for files: dropped by the mouse, or picked by a button that everybody can press. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

interface DropZoneProps {
  readonly icon: IconName;
  /** On the button. */
  readonly action: string;
  /** Endings that the picker offers. */
  readonly accept: string;
  onFiles(files: readonly File[]): void;
  readonly children: ComponentChildren;
}

export function DropZone({ icon, action, accept, onFiles, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) onFiles(files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is the mouse's way, the button inside is everybody's
    <div
      class="drop"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name={icon} size={28} />
      {children}
      <FilePicker accept={accept} onFiles={onFiles} kind="primary">
        {action}
      </FilePicker>
    </div>
  );
}

interface FilePickerProps {
  readonly accept: string;
  onFiles(files: readonly File[]): void;
  readonly kind?: 'primary' | 'quiet';
  readonly children: string;
}

export function FilePicker({ accept, onFiles, kind, children }: FilePickerProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...(kind && { kind })} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={accept}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          // The same file again must count as a change, too.
          event.currentTarget.value = '';
          if (files.length > 0) onFiles(files);
        }}
      />
    </>
  );
}
