/** The first file: a model. */
import { Field } from '../shared/field.tsx';
import { count, counted } from '../shared/format.ts';
import { Stat, Stats } from '../shared/stat.tsx';
import type { Desk, DeskState } from './desk.ts';
import { FileStep } from './file-step.tsx';
import type { ModelNote } from './model-choices.ts';

interface StepProps {
  readonly desk: Desk;
  readonly state: DeskState;
}

export function ModelStep({ desk, state }: StepProps) {
  const { note } = state;
  const open = (files: readonly File[]) => {
    // Whatever is given here is meant as the model, but for a table beside it.
    if (files.length === 1) void desk.openModel(files[0], files[0].name);
    else void desk.drop(files);
  };
  return (
    <FileStep
      of="model"
      state={state}
      number={1}
      title="The model"
      note="A JSON file of Kindred"
      icon="file"
      action="Choose a model"
      accept=".json,application/json"
      onFiles={open}
      invitation={
        <p>
          <b>Drop the model here</b>
          <br />
          As <code>kindred train</code> writes it, or as you got it from a federation
        </p>
      }
    >
      {note && <Summary note={note} />}
      {note?.method === 'global' && <PersonalCost desk={desk} state={state} />}
    </FileStep>
  );
}

const SHOWN_CLASSES = 4;

function Summary({ note }: { readonly note: ModelNote }) {
  const { objective, classes = [], columns, people } = note;
  const shown = classes.slice(0, SHOWN_CLASSES).join(', ');
  const more = classes.length > SHOWN_CLASSES ? ` and ${count(classes.length - SHOWN_CLASSES)} more` : '';
  return (
    <Stats>
      <Stat
        label="Predicts"
        value={objective === 'regression' ? 'A number' : counted(classes.length, 'class', 'classes')}
        note={objective === 'regression' ? note.recorded.label : `${shown}${more}`}
      />
      <Stat label="From" value={counted(columns.length, 'column')} note={columnText(columns)} />
      <Stat
        label="Knows"
        value={people.length === 0 ? 'Nobody' : counted(people.length, 'person', 'people')}
        note={people.length === 0 ? 'A shared part only' : 'With a part of their own'}
      />
    </Stats>
  );
}

function columnText(columns: readonly string[]): string {
  return columns.length <= 2 ? columns.join(', ') : `${columns[0]}, ${columns[1]}, …`;
}

/** A model for all was trained without the constant that personal parts need. */
function PersonalCost({ desk, state }: StepProps) {
  return (
    <Field
      label="Caution with your rows (C2)"
      help="This model was trained without personal parts. Larger: closer to the shared model."
    >
      {(control) => (
        <input
          {...control}
          class="input cost"
          type="number"
          min="0.001"
          step="any"
          value={state.options.c2}
          onChange={(event) => {
            const c2 = event.currentTarget.valueAsNumber;
            if (c2 > 0) void desk.setOptions({ c2 });
          }}
        />
      )}
    </Field>
  );
}
