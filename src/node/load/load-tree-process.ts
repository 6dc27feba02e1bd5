/** Program of its own: a tree of coordinators with very many participants (load-tree-run.ts). */
import { runTree } from './load-tree-run.ts';

process.on('disconnect', () => process.exit());
const { options, rounds } = JSON.parse(process.argv[2]);
process.send?.(await runTree(options, rounds));
