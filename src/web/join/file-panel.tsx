/** A file by drop or picker, how it begins, and what its columns mean. */
import { useCell } from '../shared/cell.ts';
import { DropZone, FilePicker } from '../shared/drop-zone.tsx';
import { Select } from '../shared/field.tsx';
import { bytes } from '../shared/format.ts';
import { Icon } from '../shared/icon.tsx';
import { columnsOf, type FileChoices, nameFromFile } from './choices.ts';
import type { DataDesk, OpenFile } from './data-desk.ts';
import type { JoinPage } from './join-page.ts';
import { PreviewTable } from './preview-table.tsx';

interface FilePanelProps {
  readonly page: JoinPage;
  readonly desk: DataDesk;
}

const ACCEPTED = '.csv,.tsv,.txt,.gz,.parquet,.arrow,.feather,.npy,.npz,.libsvm,.svm';

export function FilePanel({ page, desk }: FilePanelProps) {
  const { file } = useCell(desk.state);
  const open = ([given]: readonly File[]) =>
    void desk.open(given, given.name, page.nameOr(nameFromFile(given.name)));
  if (!file)
    return (
      <DropZone icon="table" action="Choose a file" accept={ACCEPTED} onFiles={open}>
        <p>
          <b>Drop a table here</b>
          <br />
          One row for each case, one column that you want to predict
        </p>
        <p class="fine">
          CSV (also gzipped), Parquet, Arrow, NumPy, LIBSVM. No upload: the file is read by this page.
        </p>
      </DropZone>
    );
  return (
    <div class="file">
      <div class="file-head">
        <Icon name="file" size={20} />
        <span class="file-name">
          {file.name} <small>{bytes(file.file.size)}</small>
        </span>
        <FilePicker accept={ACCEPTED} onFiles={open}>
          Another file
        </FilePicker>
      </div>
      {file.preview && file.choices && (
        <>
          <Choices page={page} desk={desk} file={file} choices={file.choices} />
          <PreviewTable
            preview={file.preview}
            choices={file.choices}
            onDrop={(drop) => void desk.change({ drop }, page.name.value)}
          />
        </>
      )}
    </div>
  );
}

interface ChoicesProps extends FilePanelProps {
  readonly file: OpenFile;
  readonly choices: FileChoices;
}

const NONE = '';

function Choices({ page, desk, file, choices }: ChoicesProps) {
  const { summary } = useCell(desk.state);
  const names = columnsOf(file.preview!, choices.header);
  const change = (changes: Partial<FileChoices>) => void desk.change(changes, page.name.value);
  const { label, task, own, decimal, header } = choices;
  return (
    <div class="fields">
      <Select
        label="Column to predict"
        value={label}
        options={names.map((name) => [name, name])}
        onChange={(value) =>
          change({ label: value, ...(task === value && { task: undefined, own: undefined }) })
        }
      />
      <Select
        label="Whose rows"
        value={task ?? NONE}
        options={[
          [NONE, 'All rows are mine'],
          ...names.filter((name) => name !== label).map((name) => [name, `Says column ${name}`] as const),
        ]}
        onChange={(value) => change({ task: value === NONE ? undefined : value, own: undefined })}
      />
      {task !== undefined && (
        <Select
          label="I am"
          value={own ?? NONE}
          options={[
            [NONE, 'Everybody: all rows'],
            ...(summary?.people ?? []).map(([id, rows]) => [id, `${id} (${rows} rows)`] as const),
          ]}
          onChange={(value) => change({ own: value === NONE ? undefined : value })}
        />
      )}
      <Select
        label="First line"
        value={header ? 'names' : 'row'}
        options={[
          ['names', 'Names of columns'],
          ['row', 'A row already'],
        ]}
        onChange={(value) =>
          change({ header: value === 'names', ...renamed(file, choices, value === 'names') })
        }
      />
      <Select
        label="Decimals"
        value={decimal}
        options={[
          ['point', '1.5'],
          ['comma', '1,5'],
        ]}
        onChange={(value) => change({ decimal: value as FileChoices['decimal'] })}
      />
    </div>
  );
}

/** The same columns under the names that they have then. */
function renamed({ preview }: OpenFile, choices: FileChoices, header: boolean): Partial<FileChoices> {
  const [from, to] = [columnsOf(preview!, choices.header), columnsOf(preview!, header)];
  const name = (old: string) => to[from.indexOf(old)] ?? to[to.length - 1];
  return {
    label: name(choices.label),
    task: choices.task === undefined ? undefined : name(choices.task),
    drop: choices.drop.map(name),
  };
}
