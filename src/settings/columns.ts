/** How columns of a table are read, and how they become features. */
import { choice, either, list, text } from './kinds.ts';
import { count } from './problem.ts';

/** With reading: what a column holds. */
export const COLUMN_RULES = {
  weight: text('the name of a column')
    .optional('none')
    .about('column with a weight of at least 0 for each row, scaled to a mean of 1 within each participant'),
  missing: choice('mean', 'refuse')
    .optional('mean')
    .about('missing values: the mean of all training rows and an indicator, or refused'),
  categorical: either(choice('auto', 'refuse'), list(text(), 'a list of columns'))
    .optional('auto')
    .about(
      'text columns: a feature for each level (auto), refused, or a list of columns that are categories even if they hold numbers',
    ),
};

/** With training. */
export const COLUMNS = {
  rare: count
    .default(5)
    .about('levels of a text column in fewer training rows than this are pooled as "other"'),
};
