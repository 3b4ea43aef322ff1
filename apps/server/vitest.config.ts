import { defineProject } from 'vitest/config';
import { folderOfRun } from '../../tools/folder-of-run.ts';
import { onWorkers } from '../../tools/test-workers.ts';

export default defineProject({
  test: {
    name: 'server',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Of the project `postgres`.
    exclude: ['**/postgres/*.test.ts'],
    testTimeout: 60_000,
    // Files of a worker share what they import, which is most of what they cost. No test replaces a module.
    isolate: false,
    ...onWorkers,
    // What is awaited comes late on a busy machine, and one second is no promise of ours.
    expect: { poll: { timeout: 30_000 } },
    env: { TMPDIR: folderOfRun('stores') },
  },
});
