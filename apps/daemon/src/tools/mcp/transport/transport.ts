import { spawn } from 'node:child_process';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from '@drawbridge/kit';
import { endTree, tagVariable } from '../../../processes/process-tree.ts';
import { parseJson } from '../../../text/parse-json.ts';
import { createLines } from './lines.ts';
import type { ServerLog } from './server-log.ts';
import { watchTree } from '../../../processes/watchdog.ts';

/** One message of a server, in bytes: as much as a Drawbridge server accepts by default. */
const maxMessageBytes = 16 * 1024 * 1024;

export interface ServerProcess {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string;
  /** Names what it starts, so that nothing of it is left behind. */
  tag: string;
}

/**
 * The SDK's stdio transport ends one process. This one ends the whole tree, bounds each message,
 * and logs what is no message.
 */
export const createTransport = (
  { command, args, env, cwd, tag }: ServerProcess,
  { clock, log }: { clock: Clock; log: ServerLog },
): Transport => {
  let child: ReturnType<typeof spawnServer> | undefined;
  let delivered: Promise<void> = Promise.resolve();
  let gone: Promise<void> | undefined;

  const spawnServer = () =>
    spawn(command, args, {
      cwd,
      env: { ...env, [tagVariable]: tag },
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });

  const end = (group: number | undefined): Promise<void> =>
    (gone ??= group === undefined ? Promise.resolve() : endTree({ group, tag }, clock));

  /** One message a turn: the SDK would drop progress that arrives together with its answer. */
  const deliver = (message: JSONRPCMessage) => {
    delivered = delivered.then(() => transport.onmessage?.(message));
  };

  const transport: Transport = {
    start: () =>
      new Promise((resolve, reject) => {
        const started = spawnServer();
        child = started;
        const { pid } = started;
        const cancel = pid === undefined ? () => {} : watchTree({ group: pid, tag });
        const leave = () =>
          void end(pid).then(() => {
            cancel();
            // Who left without a mark may still hold the pipes.
            started.stdout.destroy();
            started.stderr.destroy();
          });
        started.once('error', reject);
        started.once('spawn', resolve);
        started.once('exit', (code, signal) => {
          log.line('drawbridge', `ended with ${signal ?? code}`);
          leave();
        });
        started.once('close', () => void end(pid).then(() => transport.onclose?.()));
        started.stdin.on('error', () => {});
        started.stdout.on(
          'data',
          createLines(maxMessageBytes, {
            line: (line) => {
              const message = parseJson(JSONRPCMessageSchema, line);
              if (message) deliver(message);
              else if (line.trim() !== '') log.line('stdout', line);
            },
            tooLong: () => {
              log.line('drawbridge', 'sent a message of more than 16 MiB, and is ended');
              leave();
            },
          }),
        );
        const onStderr = createLines(maxMessageBytes, {
          line: (line) => log.line('stderr', line),
          tooLong: () =>
            log.line('drawbridge', 'its stderr is not written down any more: a line without an end'),
        });
        started.stderr.on('data', onStderr);
      }),
    send: (message) =>
      new Promise((resolve, reject) => {
        if (!child?.stdin.writable) return reject(new Error('The server has ended'));
        child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
      }),
    close: async () => {
      const started = child;
      if (started?.pid === undefined || started.exitCode !== null || started.signalCode !== null) return gone;
      const closed = new Promise<void>((resolve) => started.once('close', () => resolve()));
      await end(started.pid);
      await closed;
    },
  };
  return transport;
};
