/** Errors of the library as a page shows them: without the options of the command line, which a page does not have. */

/** "(--drop)" and the like. */
const IN_BRACKETS = / \([^()]*--[a-z][^()]*\)/g;

/** Leaves out every clause that names an option. Quoted texts, which are data, stay whole. */
export function plainMessage(message: string): string {
  const quoted: string[] = [];
  const masked = message.replace(/"(?:[^"\\]|\\.)*"/g, (text) => `\ue000${quoted.push(text) - 1}\ue000`);
  const clauses = masked.replace(IN_BRACKETS, '').split(/(?<=[;,]) /);
  const kept = clauses.filter((clause) => !/(^| )--[a-z]/.test(clause));
  const text = (kept.length > 0 ? kept : clauses).join(' ').replace(/[;,]$/, '');
  return text.replace(/\ue000(\d+)\ue000/g, (_, place) => quoted[Number(place)]);
}
