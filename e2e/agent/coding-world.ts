import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  connectDaemon,
  daemonEntry,
  fromRoot,
  newFolder,
  startDaemon,
  startServer,
  until,
  type createProcesses,
} from '../harness/index.ts';

export const standIn = fromRoot('apps/daemon/test/support/acp-stand-in.mjs');
const support = (name: string) => fromRoot(`apps/daemon/test/support/${name}-stand-in.mjs`);
const others = [
  { id: 'acp:claude', title: 'Claude', protocol: 'claude', program: support('claude') },
  { id: 'acp:codex', title: 'Codex', protocol: 'codex', program: support('codex') },
  { id: 'pi_embedded', title: 'Pi', protocol: 'pi', program: support('pi') },
];
export const codingFlags = ['--permission-shell', 'ask'];

/** The home of a person who has enabled four stand-ins of coding agents. */
export const codingHome = (): string => {
  const home = newFolder('home');
  const enable = ['runtimes', 'enable', 'acp:mine', '--login', standIn, '--', process.execPath, standIn];
  execFileSync(process.execPath, [daemonEntry, ...enable], { env: { ...process.env, HOME: home } });
  const file = join(home, '.drawbridge/runtimes.json');
  const { version, runtimes } = JSON.parse(readFileSync(file, 'utf8'));
  for (const { id, title, protocol, program } of others)
    runtimes[id] = { ...runtimes['acp:mine'], title, protocol, args: [program], writes: [program] };
  writeFileSync(file, JSON.stringify({ version, runtimes }), { mode: 0o600 });
  return home;
};

/**
 * A server without a model, and a machine with stand-ins of coding agents that its owner has enabled; `link`:
 * the address at which the machine reaches the server.
 */
export const startCodingWorld = async (
  programs: ReturnType<typeof createProcesses>,
  link = async (url: string) => url,
) => {
  const home = codingHome();
  const server = await startServer(programs);
  const ann = await server.createOwner();
  const url = await link(server.url);
  const daemon = await connectDaemon(programs, { person: ann, url, home, flags: codingFlags });
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
      const again = startDaemon(programs, { url, root, home, flags: codingFlags });
      await again.process.says(/^\s*connected /m);
      return again;
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
