/** How a participant's own columns become the features that the federation has agreed on. */
import { inputError } from '../base/errors.ts';
import type { ColumnSummary } from '../data/column-summary.ts';
import { declaredCodes } from '../data/declared-levels.ts';
import { type ColumnCode, type PlacedCode, placedCodes } from '../data/encoding.ts';
import type { Scaling } from '../math/scaling.ts';
import type { Agreement } from '../protocol/agreement.ts';
import type { FederationSettings } from '../settings/wire.ts';

/** Undefined: they are features. `columns`: the own ones, where they have text or gaps. */
export function codesFor(
  {
    columns,
    features,
  }: { readonly columns: readonly ColumnSummary[] | undefined; readonly features: readonly string[] },
  { levels }: Pick<FederationSettings, 'levels'>,
  { encoding, columns: agreed }: Agreement,
  scaling: Scaling,
): readonly PlacedCode[] | undefined {
  if (levels) return declaredCodes(features, levels);
  if (encoding && agreed) return placedCodes(encoding, agreed, features);
  if (encoding || !columns) return encoding;
  const text = columns.findIndex(({ kind }) => kind === 'text');
  if (text >= 0 || scaling.mode === 'none') {
    const got = text >= 0 ? `text in column ${text + 1}` : 'missing values and no scaling to fill them by';
    throw inputError(
      'COLUMNS_NOT_AGREED',
      `expected numbers without missing values, as in the federation when training began, got ${got}`,
    );
  }
  return filled(scaling);
}

/** The same for some rows. */
export function fillingCodes(x: Float64Array, scaling: Scaling): readonly ColumnCode[] | undefined {
  return x.some((value) => Number.isNaN(value)) ? filled(scaling) : undefined;
}

/** Nobody had gaps when the federation began: they are filled with the mean of those rows. */
function filled({ shift }: Scaling): ColumnCode[] {
  return Array.from(shift, (mean) => ({ kind: 'number', mean, missing: false }));
}

/** Agreed columns that are not our own, and own ones that are not agreed on; undefined: there are neither. */
export function differingColumns(own: readonly string[], agreed: readonly string[] = own) {
  const without = (names: readonly string[], others: readonly string[]) => {
    const known = new Set(others);
    return names.filter((name) => !known.has(name));
  };
  const absent = without(agreed, own);
  const ignored = without(own, agreed);
  return absent.length + ignored.length > 0 ? { absent, ignored } : undefined;
}
