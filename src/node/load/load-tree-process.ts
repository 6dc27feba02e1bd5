/** Program of its own: a tree of coordinators with very many participants (load-tree-run.ts). */
import { runTree, type TreeReport } from './load-tree-run.ts';

process.on('disconnect', () => process.exit());
const { options, rounds } = JSON.parse(process.argv[2]);
const report = (what: TreeReport) => process.send?.(what);
report({ run: await runTree(options, rounds, (progress) => report({ progress })) });
