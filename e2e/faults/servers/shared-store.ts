import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresFolder } from '../../../tools/postgres/programs.ts';
import type { Store } from '../rows.ts';

const run = promisify(execFile);

const kill = (pid: number, signal: NodeJS.Signals) => {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
};

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

const isBackend = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('127.0.0.1(');
  } catch {
    return false;
  }
};

/** Faults of a Postgres, by the id of its first process. */
export const postgresFaults = (pid: number) => ({
  /** Holds all its processes still; the returned function ends that. */
  stop: () => {
    // The first one begins all others.
    kill(pid, 'SIGSTOP');
    const children = childrenOf(pid);
    for (const child of children) kill(child, 'SIGSTOP');
    return () => {
      for (const one of [...children, pid]) kill(one, 'SIGCONT');
    };
  },
  /** Kills one of its processes: the others end too, and it recovers from what it has written. */
  crash: () => {
    const backend = childrenOf(pid).find(isBackend);
    if (backend !== undefined) kill(backend, 'SIGKILL');
  },
});

/** How the history calls a server. */
export const nameOf = (server: number): string => `server ${server}`;

const setting = 'bench.server';
/** Options of the sessions of a server, by which Postgres knows it. */
export const sessionOf = (server: number): string => `-c ${setting}=${server}`;

const writer = `'server ' || current_setting('${setting}')`;

/** What no server writes: which id each of them has, and who wrote each step of the agent beside its driver. */
const recorder = `
  create table "benchServers" ("name" text, "id" text primary key);
  create table "benchSteps" ("userId" text, "threadId" text, "messageId" text, "server" text, "driverId" text);
  create function "benchServer"() returns trigger language plpgsql as $$ begin
    insert into "benchServers" values (${writer}, new."id") on conflict do nothing;
    return new;
  end $$;
  create function "benchStep"() returns trigger language plpgsql as $$ begin
    insert into "benchSteps" select new."userId", new."threadId", new."id", ${writer}, "driverId"
      from "agentThreads" where "userId" = new."userId" and "id" = new."threadId";
    return new;
  end $$;
  create trigger "benchServer" after insert or update on "servers" for each row execute function "benchServer"();
  create trigger "benchStep" after insert on "agentMessages" for each row
    when (new."source" = 'model') execute function "benchStep"();`;

const steps = `
  select "userId", "threadId", "messageId", "server", "name" as "driver"
  from "benchSteps" left join "benchServers" on "benchServers"."id" = "driverId"`;

/** Reads through a program of Postgres. */
export const postgresStore = (url: string): Store & { record(): Promise<void> } => {
  const psql = async (command: string) => {
    const program = join(postgresFolder() ?? '', 'psql');
    return (await run(program, ['-XAtq', '-d', url, '-c', command], { maxBuffer: 2 ** 30 })).stdout;
  };
  const rows = async (query: string) =>
    (await psql(`select row_to_json(one) from (${query}) one`))
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line));
  return {
    rows,
    steps: () => rows(steps),
    record: async () => void (await psql(recorder)),
  };
};
