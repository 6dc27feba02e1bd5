/** What the personal part has come to: scores, the file, what has changed, and rows to look at. */
import { useState } from 'preact/hooks';
import { METRIC_NAMES, scoreText } from '../join/scores.ts';
import { Banner } from '../shared/banner.tsx';
import { Button } from '../shared/button.tsx';
import { save } from '../shared/download.ts';
import { Field } from '../shared/field.tsx';
import { count, counted, decimal, scientific, UNKNOWN } from '../shared/format.ts';
import { Stat, Stats } from '../shared/stat.tsx';
import { toast } from '../shared/toast.tsx';
import { ChangesCard } from './changes-card.tsx';
import type { Desk } from './desk.ts';
import type { Personalised } from './fit.ts';
import { PeopleCard } from './people-card.tsx';
import { PredictionsCard } from './predictions-card.tsx';

interface ResultProps {
  readonly desk: Desk;
  readonly result: Personalised;
}

export function ResultView({ desk, result }: ResultProps) {
  const { people } = result;
  const [chosen, setChosen] = useState(people[0].id);
  // Another column may have said whose rows they are.
  const shown = people.find(({ id }) => id === chosen) ?? people[0];
  return (
    <section class="result" aria-label="Result">
      <Head desk={desk} result={result} />
      <Warnings result={result} />
      <Scores result={result} />
      {people.length > 1 && <PeopleCard result={result} chosen={shown.id} onChoose={setChosen} />}
      {people.length > 1 && (
        <Field label="Whose model is shown below">
          {(control) => (
            <select
              {...control}
              class="input whose"
              value={shown.id}
              onChange={(event) => setChosen(event.currentTarget.value)}
            >
              {people.map(({ id }) => (
                <option key={id} value={id}>
                  {id}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <div class="result-grid">
        <ChangesCard desk={desk} result={result} participant={shown.id} />
        <PredictionsCard desk={desk} result={result} participant={shown.id} />
      </div>
    </section>
  );
}

function Head({ desk, result }: ResultProps) {
  const [busy, setBusy] = useState(false);
  const { people } = result;
  const download = async () => {
    setBusy(true);
    try {
      const text = await desk.work.modelFile();
      save(new Blob([text], { type: 'application/json' }), fileName(people.map(({ id }) => id)));
      toast('ok', 'The model is in your downloads.');
    } catch (error) {
      toast('bad', (error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="result-head">
      <div>
        <h2>
          <span class="step-number">3</span> {people.length === 1 ? 'Your model' : 'Their models'}
        </h2>
        <p class="fine">{madeText(result)}</p>
      </div>
      <Button kind="primary" size="large" icon="download" busy={busy} onClick={download}>
        Download the model
      </Button>
    </div>
  );
}

function madeText({ people, rows, testRows, relativeGap }: Personalised): string {
  const replaced = people.filter(({ part }) => part === 'replaced').length;
  const what =
    replaced > 0
      ? `${counted(replaced, 'personal part')} replaced`
      : `${counted(people.length, 'personal part')} added`;
  return `${what}, learnt from ${counted(rows - testRows, 'row')}; at most ${scientific(relativeGap)} from the best possible (duality gap).`;
}

function fileName([first, ...others]: readonly string[]): string {
  const name = others.length > 0 ? 'people' : first.replace(/[^\p{L}\p{N}._-]+/gu, '-');
  return `model-${name}.json`;
}

function Warnings({ result: { oneClass, people, notes, testRows } }: { readonly result: Personalised }) {
  const who =
    oneClass.length === 1 && people.length === 1 ? 'All your rows' : `All rows of ${listText(oneClass)}`;
  return (
    <>
      {oneClass.length > 0 && (
        <Banner tone="warn" icon="alert">
          <b>One class only.</b> {who} to learn from are <b>{oneClass[0].class}</b>
          {oneClass.length > 1 && ' or another single class'}. Such a personal part leans towards it and
          cannot learn what tells it apart: add rows of another class.
        </Banner>
      )}
      {testRows === 0 && (
        <Banner>
          No rows were kept for testing: everything was learnt from, and there is nothing to compare on.
        </Banner>
      )}
      {notes.map((note) => (
        <Banner key={note}>{sentence(note)}</Banner>
      ))}
    </>
  );
}

function listText(who: Personalised['oneClass']): string {
  const names = who.slice(0, 3).map(({ id }) => id);
  return who.length > 3 ? `${names.join(', ')} and ${count(who.length - 3)} more` : names.join(', ');
}

function sentence(note: string): string {
  const plain = note.replace(/ \(--[a-z-]+\)/g, '');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
}

function Scores({ result }: { readonly result: Personalised }) {
  const { metric, own, shared, testRows, people } = result;
  if (testRows === 0) return null;
  const name = METRIC_NAMES[metric];
  const mean = people.length > 1 ? ', mean over people' : '';
  return (
    <Stats>
      <Stat label="Before: the shared model" value={scoreText(metric, shared)} note={`${name}${mean}`} />
      <Stat
        label={people.length > 1 ? 'After: their own models' : 'After: your model'}
        value={<span class="score-own">{scoreText(metric, own)}</span>}
        note={`${name}${mean}`}
      />
      <Stat label="Difference" value={differenceText(result)} note={verdictText(result)} />
      <Stat label="Tested on" value={counted(testRows, 'row')} note="That no personal part has learnt from" />
    </Stats>
  );
}

function differenceText({ metric, own, shared }: Personalised): string {
  if (own === undefined || shared === undefined) return UNKNOWN;
  const change = metric === 'rmse' ? own - shared : 100 * (own - shared);
  const size = metric === 'rmse' ? decimal(Math.abs(change)) : Math.abs(change).toFixed(1);
  if (Number(size) === 0) return '0';
  return `${change > 0 ? '+' : '−'}${size}`;
}

function verdictText({ metric, own, shared }: Personalised): string {
  if (own === undefined || shared === undefined) return 'Not known';
  const gain = metric === 'rmse' ? shared - own : own - shared;
  const unit = metric === 'rmse' ? 'Error' : 'Percentage points';
  if (Math.abs(gain) < 5e-4) return 'About the same';
  return gain > 0 ? `${unit}: better` : `${unit}: worse; keep the shared model`;
}
