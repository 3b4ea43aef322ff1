// `pnpm start`: installs dependencies, builds what is out of date, and runs the server. Plain JavaScript
// without packages, because it runs before anything is installed.
import { ensureNode, leastToRun } from './node.mjs';
import { installFor } from './packages.mjs';
import { pnpm } from './pnpm.mjs';
import { step } from './step.mjs';

await ensureNode(leastToRun);
await installFor('start');
await step('Building', () => pnpm('--silent', 'turbo', 'run', 'build', '--filter=./apps/*'));
// For an image, which starts the server later.
if (!process.argv.includes('--build-only')) await import('../../apps/server/dist/main.js');
