import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  daemonEntry,
  fromRoot,
  newFolder,
  startDaemon,
  startMachine,
  until,
  type createProcesses,
} from '../harness/index.ts';

export const standIn = fromRoot('apps/daemon/test/support/acp-stand-in.mjs');
const claude = fromRoot('apps/daemon/test/support/claude-stand-in.mjs');
const flags = ['--permission-shell', 'ask'];

/** A server without a model, and a machine with two stand-ins of coding agents that its owner has enabled. */
export const startCodingWorld = async (programs: ReturnType<typeof createProcesses>) => {
  const home = newFolder('home');
  const enable = ['runtimes', 'enable', 'acp:mine', '--login', standIn, '--', process.execPath, standIn];
  execFileSync(process.execPath, [daemonEntry, ...enable], { env: { ...process.env, HOME: home } });
  const file = join(home, '.drawbridge/runtimes.json');
  const { version, runtimes } = JSON.parse(readFileSync(file, 'utf8'));
  const asking = {
    ...runtimes['acp:mine'],
    ...{ title: 'Claude', protocol: 'claude', args: [claude], writes: [claude] },
  };
  writeFileSync(file, JSON.stringify({ version, runtimes: { ...runtimes, 'acp:claude': asking } }), {
    mode: 0o600,
  });
  const { server, ann, daemon } = await startMachine(programs, { home, flags });
  const { root } = daemon;
  /** The open question with that title. */
  const asked = (title: string | RegExp) =>
    until(async () =>
      (await ann.api.confirmations.list.query()).find((one) =>
        typeof title === 'string' ? one.title === title : title.test(one.title ?? ''),
      ),
    );
  return {
    ...{ server, ann, daemon, asked },
    /** Runs a command of the CLI on the machine. */
    drawbridge: (...args: string[]): string =>
      execFileSync(process.execPath, [daemonEntry, ...args], {
        env: { ...process.env, HOME: home },
        encoding: 'utf8',
      }),
    /** The daemon in the place of one that has ended. */
    startAgain: async () => {
      const again = startDaemon(programs, { url: server.url, root, home, flags });
      await again.process.says(/^\s*connected /m);
    },
    choose: (threadId: string, runtime = 'acp:mine') =>
      ann.api.agent.send.mutate({
        ...{ threadId, message: `/runtime activate ${runtime}`, attachments: [], mode: 'reject' },
      }),
    allow: async (title: string | RegExp) =>
      ann.api.confirmations.decide.mutate({ confirmationId: (await asked(title)).id, approved: true }),
  };
};

export type CodingWorld = Awaited<ReturnType<typeof startCodingWorld>>;
