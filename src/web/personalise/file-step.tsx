/** A step that takes one file: dropped or picked, its name once it is there, and what is wrong with it. */
import type { ComponentChildren } from 'preact';
import { DropZone, FilePicker } from '../shared/drop-zone.tsx';
import { bytes } from '../shared/format.ts';
import { Icon, type IconName } from '../shared/icon.tsx';
import { Skeleton } from '../shared/skeleton.tsx';
import type { DeskState } from './desk.ts';
import { TroubleCard } from './trouble-card.tsx';

interface FileStepProps {
  readonly of: 'model' | 'rows';
  readonly state: DeskState;
  readonly number: number;
  readonly title: string;
  /** Beside the title, as long as there is no file. */
  readonly note: string;
  readonly icon: IconName;
  /** On the button. */
  readonly action: string;
  /** Endings that the picker offers. */
  readonly accept: string;
  onFiles(files: readonly File[]): void;
  /** Where files are dropped. */
  readonly invitation: ComponentChildren;
  /** Below the file. */
  readonly hint?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function FileStep(props: FileStepProps) {
  const { of, state, number, title, note, icon, action, accept, onFiles } = props;
  const { busy, trouble } = state;
  const opened = state[of];
  return (
    <section class="card step" aria-labelledby={`${of}-title`}>
      <div class="step-head">
        <h2 id={`${of}-title`}>
          <span class="step-number">{number}</span> {title}
        </h2>
        {!opened && <span class="card-note">{note}</span>}
      </div>
      {opened ? (
        <div class="file-head">
          <Icon name={icon} size={20} />
          <span class="file-name">
            {opened.name} <small>{bytes(opened.file.size)}</small>
          </span>
          <FilePicker accept={accept} onFiles={onFiles}>
            Another
          </FilePicker>
        </div>
      ) : busy === 'example' ? (
        <Skeleton height="9rem" />
      ) : (
        <DropZone icon={icon} action={action} accept={accept} onFiles={onFiles}>
          {props.invitation}
        </DropZone>
      )}
      {props.hint}
      {busy === of && <Skeleton height="5rem" />}
      {trouble?.at === of && <TroubleCard trouble={trouble.what} />}
      {props.children}
    </section>
  );
}
