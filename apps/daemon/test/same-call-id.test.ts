import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../e2e/services.ts';
import { pairingToken, startGatewayServer, type GatewayServer } from './support/gateway-server.ts';
import { connect, home, noSandbox, server, setUpEachTest, start, until, work } from './support/start-cli.ts';

setUpEachTest();

const requestId = 'one-id';
/** Goes on until the file `go` is there. */
const waiting = 'touch started; while [ ! -e go ]; do sleep 0.05; done; echo out';

const request = (command: string) => ({
  type: 'filesystem-request',
  payload: { requestId, toolCall: { name: 'shell_execute', arguments: { command } } },
});

const answersOf = ({ seen }: GatewayServer) =>
  seen.filter(({ path }) => path === `/response/${requestId}`).map(({ body }) => JSON.stringify(body));

/** A daemon of the same account for a server of its own, with a folder of its own. */
const startOther = async (flags: string[]) => {
  const itsServer = await startGatewayServer();
  onTestFinished(itsServer.close);
  const folder = join(home, 'other');
  mkdirSync(folder);
  const connectIt = async (key: string[]) => {
    const started = start(['connect', itsServer.url.origin, ...key, ...flags], {}, { cwd: folder });
    await until(() => expect(started.out.stderr).toContain('connected     '));
    return started;
  };
  return { ...(await connectIt([pairingToken])), itsServer, folder, again: () => connectIt([]) };
};

type Other = Awaited<ReturnType<typeof startOther>>;

const endings: [string, (other: Other) => Promise<void>][] = [
  [
    'has ended',
    async ({ itsServer }) => {
      itsServer.send(request('echo other'));
      await until(() => expect(answersOf(itsServer)).toEqual([expect.stringContaining('other\\\\n')]));
    },
  ],
  [
    'was cancelled',
    async ({ itsServer, folder }) => {
      itsServer.send(request(waiting));
      await until(() => expect(existsSync(join(folder, 'started'))).toBe(true));
      itsServer.send({ type: 'tool-call-cancel', payload: { requestId, reason: 'caller' } });
      await until(() => expect(answersOf(itsServer)).toEqual([expect.stringContaining('cancelled')]));
    },
  ],
  [
    'was lost with its daemon, which starts again',
    async ({ child, code, itsServer, folder, again }) => {
      itsServer.send(request(waiting));
      await until(() => expect(existsSync(join(folder, 'started'))).toBe(true));
      child.kill('SIGKILL');
      await code;
      await again();
      await until(() => expect(answersOf(itsServer)).toEqual([expect.stringContaining('"lost"')]));
    },
  ],
];

const title = 'SH-36 goes on when a call of its id at another daemon %s';

const goesOn = (flags: string[]) => () => {
  it.each(endings)(title, { timeout: 60_000 }, async (_what, end) => {
    await connect(['--permission-shell', 'allow', ...flags]);
    const other = await startOther(['--permission-shell', 'allow', ...flags]);
    server.send(request(waiting));
    await until(() => expect(existsSync(join(work, 'started'))).toBe(true));
    await end(other);
    writeFileSync(join(work, 'go'), '');
    await until(() => expect(answersOf(server)).toEqual([expect.stringContaining('out\\\\n')]));
  });
};

describe('a command without a sandbox', goesOn([noSandbox]));
describeWith('bubblewrap')('a command in the sandbox', goesOn([]));
