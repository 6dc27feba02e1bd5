/** The table of verdicts for a README. */
import { countLine, SIGNS, type VerdictRow } from './report.ts';

const COLUMNS = ['Claim', 'Paper', 'What the paper says', 'Holds if', 'Measured', 'Confidence', 'Verdict'];

export function verdictMarkdown(verdicts: readonly VerdictRow[]): string {
  const rows = verdicts.map((row) => {
    const measured = [...row.measured, ...(row.note ? [row.note] : [])].join('\n');
    const verdict = `${SIGNS[row.verdict]} ${row.verdict}`;
    return [row.id, row.section, row.claim, row.rule, measured, row.confidence, verdict].map(cell);
  });
  const lines = [COLUMNS, COLUMNS.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${countLine(verdicts)}.\n\n${lines.join('\n')}\n`;
}

/** A cell is one line, and nothing in it is markup. */
function cell(words: string): string {
  return words
    .replace(/[\\|*_`[\]~]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .trim()
    .replace(/\s*[\r\n]\s*/g, '<br>');
}
