/** The second file: rows of one's own, and what their columns mean. */

import { columnsOf, type FileChoices } from '../join/choices.ts';
import { Field, Select } from '../shared/field.tsx';
import { count, counted } from '../shared/format.ts';
import { Segments } from '../shared/segments.tsx';
import type { Desk, DeskState } from './desk.ts';
import { FileStep } from './file-step.tsx';

interface StepProps {
  readonly desk: Desk;
  readonly state: DeskState;
}

const ACCEPTED = '.csv,.tsv,.txt,.gz,.parquet,.arrow,.feather,.npy,.npz';

export function RowsStep({ desk, state }: StepProps) {
  const { rows, note, preview, choices, busy } = state;
  const open = (files: readonly File[]) => {
    if (files.length === 1) void desk.openRows(files[0], files[0].name);
    else void desk.drop(files);
  };
  return (
    <FileStep
      of="rows"
      state={state}
      number={2}
      title="Your rows"
      note="They stay in this page"
      icon="table"
      action="Choose a table"
      accept={ACCEPTED}
      onFiles={open}
      invitation={
        <p>
          <b>Drop your table here</b>
          <br />
          The columns of the model, and one with what is to be predicted
        </p>
      }
      hint={
        rows &&
        !note &&
        busy !== 'model' && (
          <p class="fine">Waits for a model: then the page knows which columns to look for.</p>
        )
      }
    >
      {note && preview && choices && <Choices desk={desk} state={state} choices={choices} />}
    </FileStep>
  );
}

const NONE = '';

function Choices({ desk, state, choices }: StepProps & { readonly choices: FileChoices }) {
  const { preview, note, people, options } = state;
  const names = columnsOf(preview!, choices.header);
  const free = names.filter((name) => !note!.columns.includes(name));
  const { label, task, own, drop } = choices;
  const change = (changes: Partial<FileChoices>) => void desk.change(changes);
  return (
    <>
      <div class="fields">
        <Select
          label="Column to predict"
          value={label}
          options={[
            ...(label === '' ? [[NONE, 'None is left'] as const] : []),
            ...free.filter((name) => name !== task).map((name) => [name, name] as const),
          ]}
          onChange={(value) => change({ label: value })}
        />
        <Select
          label="Whose rows"
          value={task ?? NONE}
          options={[
            [NONE, 'All are of one person'],
            ...free.filter((name) => name !== label).map((name) => [name, `Says column ${name}`] as const),
          ]}
          onChange={(value) => change({ task: value === NONE ? undefined : value, own: undefined })}
        />
        {task === undefined ? (
          <Field label="Name in the model">
            {(control) => (
              <input
                {...control}
                class="input"
                autocomplete="off"
                maxLength={100}
                value={options.participant}
                onChange={(event) => void desk.setOptions({ participant: event.currentTarget.value })}
              />
            )}
          </Field>
        ) : (
          people.length > 1 && (
            <Select
              label="For whom"
              value={own ?? NONE}
              options={[
                [NONE, `Everybody: ${count(people.length)} people`],
                ...people.map((id) => [id, id] as const),
              ]}
              onChange={(value) => change({ own: value === NONE ? undefined : value })}
            />
          )
        )}
        <Select
          label="Decimals"
          value={choices.decimal}
          options={[
            ['point', '1.5'],
            ['comma', '1,5'],
          ]}
          onChange={(value) => change({ decimal: value as FileChoices['decimal'] })}
        />
      </div>
      <div class="keep">
        <span id="keep">Rows kept for testing</span>
        <Segments
          label="Rows kept for testing"
          value={String(options.testFraction)}
          options={[
            ['0.3', '30%'],
            ['0', 'None: learn from all'],
          ]}
          onChange={(value) => void desk.setOptions({ testFraction: Number(value) })}
        />
      </div>
      {drop.length > 0 && (
        <p class="fine">
          {counted(drop.length, 'column')} that the model does not know {drop.length === 1 ? 'is' : 'are'}{' '}
          left out: {drop.slice(0, 5).join(', ')}
          {drop.length > 5 && ', …'}
        </p>
      )}
    </>
  );
}
