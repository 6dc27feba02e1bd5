import { describe, expect, test } from 'vitest';
import {
  choicesFor,
  lackingColumns,
  type ModelNote,
  withRest,
} from '../../../src/web/personalise/model-choices.ts';

const model: ModelNote = {
  ...{ method: 'mtl', objective: 'classification', encoding: undefined, absent: undefined },
  ...{ columns: ['a', 'b'], classes: ['no', 'yes'], people: [], participant: undefined },
  recorded: { task: 'who', label: 'outcome', decimal: 'point', header: true },
};
const preview = (names: string[], ...rows: string[][]) => ({ names, rows });

describe('columns of a file for a model', () => {
  test('the names of training, where the file has them; the rest is left out', () => {
    const file = preview(['who', 'note', 'a', 'b', 'outcome'], ['x', 'hm', '1.5', '2', 'yes']);
    expect(choicesFor(file, model)).toEqual({
      ...{ label: 'outcome', task: 'who', own: undefined, drop: ['note'], decimal: 'point', header: true },
    });
  });

  test('a column of the model is never taken for the target or the person', () => {
    const file = preview(['a', 'b', 'y2'], ['1', '2', 'no']);
    const odd = { ...model, columns: ['a', 'b'], recorded: { ...model.recorded, label: 'b', task: 'a' } };
    expect(choicesFor(file, odd)).toMatchObject({ label: 'y2', task: undefined, drop: [] });
  });

  test('without any other column there is no target', () => {
    expect(choicesFor(preview(['a', 'b'], ['1', '2']), model).label).toBe('');
  });

  test('another target frees the first one, and leaves it out', () => {
    const file = preview(['a', 'b', 'outcome', 'other'], ['1', '2', 'no', 'yes']);
    const choices = choicesFor(file, model);
    expect(withRest(file, model, { ...choices, label: 'other' }).drop).toEqual(['outcome']);
  });

  test('decimal commas are recognised', () => {
    expect(choicesFor(preview(['a', 'b', 'outcome'], ['1,5', '2,5', 'no']), model).decimal).toBe('comma');
  });

  test('which columns are missing, unless the model takes gaps for them', () => {
    const file = preview(['a', 'outcome'], ['1', 'no']);
    const choices = choicesFor(file, model);
    expect(lackingColumns(file, model, choices)).toEqual(['b']);
    expect(lackingColumns(file, { ...model, absent: 'missing' }, choices)).toEqual([]);
    const none = preview(['outcome'], ['no']);
    expect(lackingColumns(none, { ...model, absent: 'missing' }, choices)).toEqual(['a', 'b']);
  });
});
