import { defineProject } from 'vitest/config';
import { folderOfRun } from '../../tools/folder-of-run.ts';
import { postgresFolder } from '../../tools/postgres/programs.ts';
import { onWorkers } from '../../tools/test-workers.ts';

/** A choice: all files of the server would take minutes, and some look into the file of SQLite. */
const shared = [
  '{src/db,test}/postgres/*.test.ts',
  'src/agent/{store/agent.store,store/threads,two-agents}.test.ts',
  'src/gateway/two-servers.test.ts',
  'src/gateway/{calls/calls,manage/recap,pairing/keys,restart}.test.ts',
  'src/auth/{expired,clients/grants}.test.ts',
];

const isThere = postgresFolder() !== undefined;

/** Tests of the server again, with their stores on Postgres: what both dialects must do alike. */
export default defineProject({
  test: {
    name: 'postgres',
    exclude: isThere ? ['test/postgres/missing.test.ts'] : [],
    include: isThere ? shared : ['test/postgres/missing.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    isolate: false,
    ...onWorkers,
    globalSetup: ['../../tools/postgres/cluster-of-run.ts'],
    expect: { poll: { timeout: 30_000 } },
    env: { TMPDIR: folderOfRun('stores') },
  },
});
