/** The first rows of a file as they are written, with what its columns are taken for. Pressing a name leaves the column out. */
import type { FilePreview } from '../../data/preview.ts';
import { count } from '../shared/format.ts';
import { columnsOf, type FileChoices } from './choices.ts';

/** Beyond it, columns are counted and not shown. */
const SHOWN_COLUMNS = 24;

interface PreviewProps {
  readonly preview: FilePreview;
  readonly choices: FileChoices;
  onDrop(drop: readonly string[]): void;
}

export function PreviewTable({ preview, choices, onDrop }: PreviewProps) {
  const { label, task, drop, header } = choices;
  const names = columnsOf(preview, header);
  const rows = header ? preview.rows : [preview.names, ...preview.rows];
  // What it is about comes first.
  const places = names.map((_, c) => c);
  const special = places.filter((c) => names[c] === label || names[c] === task);
  const rest = places.filter((c) => !special.includes(c));
  const shown = [...special, ...rest].slice(0, SHOWN_COLUMNS);
  const toggle = (name: string) =>
    onDrop(drop.includes(name) ? drop.filter((other) => other !== name) : [...drop, name]);
  return (
    <div class="preview">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways */}
      <section class="table-scroll" tabIndex={0} aria-label="First rows of the file">
        <table class="table">
          <thead>
            <tr>
              {shown.map((c) => (
                <th key={c} scope="col" data-role={roleOf(names[c], choices)}>
                  <ColumnHead name={names[c]} choices={choices} onToggle={() => toggle(names[c])} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i}>
                {shown.map((c) => (
                  <td key={c} data-role={roleOf(names[c], choices)}>
                    {row[c] ?? ''}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="fine">
        The first rows. Press the name of a column to leave it out.
        {names.length > SHOWN_COLUMNS &&
          ` ${count(names.length - SHOWN_COLUMNS)} more columns are not shown.`}
      </p>
    </div>
  );
}

function roleOf(name: string, { label, task, drop }: FileChoices): string | undefined {
  if (name === label) return 'label';
  if (name === task) return 'task';
  return drop.includes(name) ? 'out' : undefined;
}

interface HeadProps {
  readonly name: string;
  readonly choices: FileChoices;
  onToggle(): void;
}

const WORDS: Readonly<Record<string, string>> = { label: 'to predict', task: 'whose', out: 'left out' };

function ColumnHead({ name, choices, onToggle }: HeadProps) {
  const role = roleOf(name, choices);
  const word = role && <small>{WORDS[role]}</small>;
  if (role === 'label' || role === 'task')
    return (
      <span class="column">
        {name} {word}
      </span>
    );
  return (
    <button type="button" class="column" aria-pressed={role === 'out'} onClick={onToggle}>
      {name} {word}
    </button>
  );
}
