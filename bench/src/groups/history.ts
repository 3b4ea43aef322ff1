import { join } from 'node:path';
import { newFolder, run } from '@drawbridge/e2e/harness';
import Database from 'libsql';
import { folderToRead } from '../files.ts';
import type { Group, Stage } from '../group.ts';
import { latencyMs, warmUp, type Shot } from '../load.ts';
import { startProduct } from '../product.ts';

/** Copies the one call that is there, a second apart, until there are `count`. */
const repeatCall = (dataDir: string, count: number) => {
  const database = new Database(join(dataDir, 'drawbridge.db'));
  const names = database
    .prepare('select name from pragma_table_info(?)')
    .all('calls')
    .map((row) => String((row as { name: unknown }).name));
  const changed: Record<string, string> = {
    requestId: `'past-' || n`,
    createdAt: 'createdAt - n * 1000',
    endedAt: 'endedAt - n * 1000',
  };
  database.exec(`
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count - 1})
    insert into calls (${names.join(', ')})
    select ${names.map((name) => changed[name] ?? name).join(', ')} from calls, numbers;
    pragma wal_checkpoint(truncate);
  `);
  database.close();
};

const serverWith = async (stage: Stage, count: number): Promise<Shot> => {
  const { root, read } = folderToRead();
  const dataDir = newFolder('history');
  const { server, person, daemon, pool } = await startProduct(stage, { root, env: { DATA_DIR: dataDir } });
  const { requestId } = await run(person, read.name, read.arguments);
  await daemon.process.end('SIGKILL');
  await server.end('SIGTERM');
  repeatCall(dataDir, count);
  await server.restart();
  return {
    pool,
    method: 'GET',
    path: `/trpc/calls.list?input=${encodeURIComponent(JSON.stringify({ limit: 50 }))}`,
    headers: person.headers(),
    expects: requestId,
  };
};

export const historyGroup: Group<'page'> = {
  name: 'history',
  rows: {
    page: {
      measure: 'the first page of the list with 1,000,000 past calls, against 1,000: p50',
      kind: 'ratio',
      unit: 'ms',
      goal: { atMost: 1.3 },
    },
  },
  open: async (stage) => {
    const pair = {
      bare: await serverWith(stage, 1_000),
      ours: await serverWith(stage, stage.scaled(1_000_000)),
    };
    await warmUp(pair, 500);
    return async () => ({ page: await latencyMs(pair, stage.scaled(300)) });
  },
};
