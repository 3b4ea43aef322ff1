// `pnpm test` and its siblings: installs everything, and runs one task of turbo.json, which builds what it needs.
import { ensureNode, leastToDevelop } from './node.mjs';
import { installFor } from './packages.mjs';
import { showPnpm } from './pnpm.mjs';

const [task = '', ...given] = process.argv.slice(2);
// `--built`: what the task needs is there, and turbo does not write those files anew.
const isBuilt = given.includes('--built');
const more = given.filter((option) => option !== '--built');

await ensureNode(leastToDevelop);
await installFor(task === 'test:long' ? 'all' : 'test');
const args = more.length > 0 ? ['--', ...more] : [];
process.exitCode = await showPnpm(
  '--silent',
  'turbo',
  'run',
  task,
  '--log-prefix=none',
  ...(isBuilt ? ['--only'] : []),
  ...args,
);
