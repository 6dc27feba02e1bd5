/** How columns of a table are read, and how they become features. */
import { choice, either, list, record, text } from './kinds.ts';
import { count } from './problem.ts';

/** With reading: what a column holds. */
export const COLUMN_RULES = {
  weight: text('the name of a column')
    .optional('none')
    .about('column with the weights of rows, numbers of at least 0'),
  missing: choice('mean', 'refuse')
    .optional('mean')
    .about('missing values: mean of all training rows and an indicator, or refused'),
  categorical: either(choice('auto', 'refuse'), list(text(), 'a list of columns'))
    .optional('auto')
    .about('text columns: a feature for each level, refused, or a list of more categorical columns'),
};

/** Longer texts, or more of them, nobody means. */
const level = text('a level of at most 200 characters', 200);

/** With federations: what is declared need not be collected. */
export const LEVELS = record(
  list(level, 'a list of 1 to 100 levels', { least: 1, most: 100 }),
  'an object of lists of levels by column',
)
  .optional('agreed on from the columns of the participants')
  .flag('--levels <column=a,b>')
  .about('all levels of each text column; participants then send nothing about their columns');

/** With federations: whether everybody must have the same columns. */
export const COLUMN_NAMES = choice('exact', 'union')
  .default('exact')
  .about('columns of the participants: the same for all, or all that somebody has');

/** With training. */
export const COLUMNS = {
  rare: count
    .default(5)
    .about('levels of a text column in fewer training rows than this are pooled as "other"'),
};
