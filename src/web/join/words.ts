/** Names that the page gives. */
import type { DataSource } from './read-rows.ts';

/** What the demo data leave as numbers. */
const DEMO_CLASSES: Readonly<Record<string, string>> = { '1': 'sitting', '-1': 'not sitting' };

/** A class as people say it. */
export function classWord(source: DataSource, value: string | number): string {
  const text = String(value);
  return source.kind === 'demo' ? (DEMO_CLASSES[text] ?? text) : text;
}

/** People's names may have any characters, files may not. */
export function modelFileName(participant: string): string {
  return `${participant.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+/, '') || 'model'}.json`;
}
