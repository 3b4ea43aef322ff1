// Filters over many past calls: how long one request takes, and how many requests an answer takes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connectDaemon, createProcesses, run, startServer } from '@drawbridge/e2e/harness';
import { systemClock } from '@drawbridge/kit';
import Database from 'libsql';
import { folderToRead } from './files.ts';
import { nowMs } from './load.ts';

const help = `Usage: pnpm --filter @drawbridge/bench activity [--calls 1000000] [--write]

  --calls  how many past calls the store has
  --write  writes bench/activity.md
`;
const rounds = 9;

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000000' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const ago = (days: number) => new Date(systemClock.now() - days * 86_400_000).toISOString();

/** Copies of the one call that is there over 90 days, with other tools, states, makers and subjects. */
const seed = (dataDir: string, count: number) => {
  const database = new Database(join(dataDir, 'drawbridge.db'));
  const names = database
    .prepare('select name from pragma_table_info(?)')
    .all('calls')
    .map((row) => String((row as { name: unknown }).name));
  const stepMs = Math.floor((90 * 86_400_000) / count);
  const word = (by: number) =>
    `substr('server client users posts index main    build routes panel   report  draft   image   ', ((n * ${by}) % 12) * 7 + 1, 6)`;
  const changed: Record<string, string> = {
    requestId: `'0' || printf('%010d', n) || 'seed'`,
    createdAt: `"createdAt" - n * ${stepMs}`,
    endedAt: `"endedAt" - n * ${stepMs}`,
    deliveredAt: `"deliveredAt" - n * ${stepMs}`,
    tool: `case n % 10 when 0 then 'write_file' when 1 then 'shell_execute' when 2 then 'search_files' else 'read_file' end`,
    state: `case when n % 400000 = 7 then 'lost' when n % 11 = 0 then 'failed' when n % 13 = 0 then 'denied' else 'succeeded' end`,
    viaKind: `case when n % 3 = 0 then null else 'token' end`,
    viaId: `case when n % 3 = 0 then null else 't' || (n % 5) end`,
    subject: `'src/' || trim(${word(7)}) || '/' || trim(${word(11)}) || '-' || (n % 100000) || '.ts'`,
  };
  database.exec(`
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count - 1})
    insert into calls (${names.map((name) => `"${name}"`).join(', ')})
    select ${names.map((name) => changed[name] ?? `"${name}"`).join(', ')} from calls, numbers;
    pragma wal_checkpoint(truncate);
  `);
  database.close();
};

const filters: [string, Record<string, unknown>][] = [
  ['no filter', {}],
  ['a tool', { tool: 'write_file' }],
  ['a state', { state: 'denied' }],
  ['a token', { by: 'token:t3' }],
  ['a tool, a state and a token', { tool: 'shell_execute', state: 'failed', by: 'token:t1' }],
  ['a text that many have', { q: 'server' }],
  ['a text and a week', { q: 'panel/', from: ago(40), to: ago(33) }],
  ['a state that two have', { state: 'lost' }],
  ['a text that ten have', { q: '-77777.ts' }],
  ['a text that none has', { q: 'server/nothing' }],
  ['an unknown machine', { machine: 'unknown' }],
];

const middle = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

const play = async (count: number): Promise<string[]> => {
  const processes = createProcesses();
  try {
    const { root, read } = folderToRead();
    const server = await startServer(processes);
    const person = await server.createOwner();
    const daemon = await connectDaemon(processes, { person, url: server.url, root });
    await run(person, read.name, read.arguments);
    await daemon.process.end('SIGKILL');
    // Killed: after a stop of more than a minute, which the rows take, the person would have to sign in again.
    await server.end('SIGKILL');
    seed(server.dataDir, count);
    await server.restart();
    const rows: string[] = [];
    for (const [name, filter] of filters) {
      const firsts: number[] = [];
      const slowest: number[] = [];
      const totals: number[] = [];
      let requests = 0;
      let calls = 0;
      for (let round = 0; round < rounds; round += 1) {
        const times: number[] = [];
        let cursor: string | null = null;
        calls = 0;
        do {
          const began = nowMs();
          const page = await person.api.calls.list.query({ ...filter, limit: 50, ...(cursor && { cursor }) });
          times.push(nowMs() - began);
          calls += page.calls.length;
          cursor = page.nextCursor;
        } while (cursor !== null && calls < 50);
        requests = times.length;
        firsts.push(times[0] ?? 0);
        slowest.push(Math.max(...times));
        totals.push(times.reduce((sum, one) => sum + one, 0));
      }
      const figures = [middle(firsts), middle(slowest), middle(totals)].map((ms) => ms.toFixed(1));
      rows.push(`| ${name} | ${calls} | ${figures.join(' | ')} | ${requests} |`);
    }
    for (const [name, filter] of [
      ['histogram of all', {}],
      ['histogram of a day', { from: ago(1) }],
      ['histogram of a text', { q: 'server' }],
    ] as const) {
      const times: number[] = [];
      let counted = 0;
      for (let round = 0; round < rounds; round += 1) {
        const began = nowMs();
        const { counts } = await person.api.calls.histogram.query(filter);
        times.push(nowMs() - began);
        counted = counts.reduce((sum, one) => sum + one, 0);
      }
      const ms = middle(times).toFixed(1);
      rows.push(`| ${name} | ${counted} counted | ${ms} | ${ms} | ${ms} | 1 |`);
    }
    return rows;
  } finally {
    await processes.stopAll();
  }
};

if (values.help) console.log(help);
else {
  const count = Number(values.calls);
  const table = [
    '| filter | calls on the page | first request, ms | slowest request, ms | whole answer, ms | requests |',
    '| --- | --- | --- | --- | --- | --- |',
    ...(await play(count)),
  ];
  console.log(table.join('\n'));
  const page = [
    '# Filters over past calls',
    '',
    `A store with ${count.toLocaleString('en')} calls of one person over 90 days, asked through tRPC by a client on the same`,
    'machine; medians of 9 rounds. Goal: at most 100 ms a request. A request stops looking after 80 ms of work and answers with',
    'a cursor; a whole answer is a full page of 50 calls, or the end of the calls.',
    '',
    '`pnpm --filter @drawbridge/bench activity --write` writes this page.',
    '',
    ...table,
    '',
  ];
  if (values.write) writeFileSync(join(import.meta.dirname, '../activity.md'), page.join('\n'));
}
