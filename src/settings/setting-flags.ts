/** Which settings have a flag on the command line, and what it is called. What is inside an object has one, too: dp.clip is --dp-clip. */
import type { Fields, Kind } from './kind.ts';
import { flagOf } from './refused.ts';

export interface SettingFlag {
  /** Keys from the outside to the inside. */
  readonly path: readonly string[];
  readonly setting: Kind<unknown, unknown>;
  /** "--dp-clip <number>"; without a placeholder it is a switch. */
  readonly flag: string;
}

export function settingFlags(fields: Fields, outer: readonly string[] = []): SettingFlag[] {
  return Object.entries(fields).flatMap(([key, setting]) => {
    const path = [...outer, key];
    const flag = flagFor(path, setting);
    const own = flag === undefined ? [] : [{ path, setting, flag }];
    return [...own, ...settingFlags(fieldsOf(setting) ?? {}, path)];
  });
}

/** Of an object of one kind; objects of several kinds have no flags for what is inside. */
export function fieldsOf({ is }: Kind<unknown, unknown>): Fields | undefined {
  const [only, ...others] = is.parts ?? [];
  return only?.of === '' && others.length === 0 ? only.fields : undefined;
}

function flagFor(path: readonly string[], setting: Kind<unknown, unknown>): string | undefined {
  const { is, declared } = setting;
  if (declared.flag !== undefined) return declared.flag;
  const name = flagOf(path.join('-'));
  if (!is.parts) return `${name}${placeholder(setting)}`;
  const inner = Object.values(fieldsOf(setting) ?? {});
  // An object that is complete without a word more can be switched on.
  const isComplete = inner.length > 0 && inner.every((one) => one.declared.fallback !== undefined);
  return isComplete && declared.absent === 'optional' ? name : undefined;
}

function placeholder({ is: { form, choices } }: Kind<unknown, unknown>): string {
  if (form === 'switch' || choices?.length === 1) return '';
  if (form === 'number' || form === 'time') return form === 'time' ? ' <time>' : ' <number>';
  return choices ? ' <kind>' : ' <value>';
}
