export { reportHtml } from './html.ts';
export { verdictMarkdown } from './markdown.ts';
export type { Report, Section, Table, Verdict, VerdictRow } from './report.ts';
