/** Dates and times as people write them: recognised to be refused with a hint, never read. */

const DATE_SHARE = 0.9;

const TIME = /\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]m)?/.source;
const ZONE = /(?: ?(?:z|utc|[+-]\d{2}:?\d{2}))?/.source;
const DAY = [
  /\d{4}[-/.]\d{1,2}[-/.]\d{1,2}/,
  /\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})/,
  /\d{1,2}[ -](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ -]\d{2,4}/,
  /(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2},? \d{4}/,
]
  .map(({ source }) => source)
  .join('|');
const DATE = new RegExp(`^(?:(?:${DAY})(?:[t ]+${TIME}${ZONE})?|${TIME}${ZONE})$`, 'i');

/** Of texts that are nearly all dates, or times of a day, the first one. */
export function dateAmong(texts: Iterable<string>): string | undefined {
  const all = [...texts];
  const dates = all.filter((text) => DATE.test(text));
  return dates.length > 0 && dates.length >= DATE_SHARE * all.length ? dates[0] : undefined;
}
