import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfirmationPayload } from '@drawbridge/contracts/confirmation-payload';
import type { Clock } from '@drawbridge/kit';
import { z } from 'zod';
import type { Modes, TerminalAnswer } from '../../src/permission/index.ts';
import { shared } from './clean-up.ts';
import { openInternet, type InternetOptions } from './internet-fixture.ts';
import { shellOutput } from './shell-fixture.ts';
import { makeFolders, openTools, textOf } from './tool-fixture.ts';

const output = shellOutput.extend({
  network: z.array(z.object({ host: z.string(), in: z.number(), out: z.number() })).optional(),
  pushed: z
    .array(z.object({ repository: z.string(), created: z.array(z.string()), updated: z.array(z.string()) }))
    .optional(),
});

/** Where the programs of a command find the certificate of the fixture. */
const trusting = (ca: string): string =>
  [
    'CURL_CA_BUNDLE',
    'SSL_CERT_FILE',
    'GIT_SSL_CAINFO',
    'PIP_CERT',
    'CARGO_HTTP_CAINFO',
    'NODE_EXTRA_CA_CERTS',
    'npm_config_cafile',
  ]
    .map((name) => `${name}='${ca}'`)
    .join(' ');

export interface NetworkOptions extends InternetOptions {
  modes?: Partial<Modes>;
  clock?: Clock;
  serverUrl?: string;
}

/** A real shell in a real sandbox whose way out leads to hosts of the fixture. */
export const openNetwork = async ({ modes, clock, serverUrl, ...options }: NetworkOptions) => {
  const internet = await openInternet(options);
  const folders = makeFolders();
  const questions: ConfirmationPayload[] = [];
  const state: { answer: TerminalAnswer } = { answer: { decision: 'allowOnce' } };
  const world = await openTools({
    folders,
    modes: { filesystemRead: 'allow', shell: 'allow', network: 'ask', ...modes },
    ask: {
      kind: 'terminal',
      askInTerminal: (question) => {
        questions.push(question);
        return Promise.resolve(state.answer);
      },
    },
    toolsets: {
      network: {
        resolve: internet.resolve,
        dial: internet.dial,
        authorities: [internet.ca],
      },
      caches: join(folders.base, 'caches'),
      ...(serverUrl !== undefined && { browser: { mode: 'ephemeral', serverUrl } }),
    },
    ...(clock && { clock }),
  });
  const ca = join(world.root, '.ca.pem');
  const clear = () => {
    for (const name of readdirSync(world.root))
      rmSync(join(world.root, name), { recursive: true, force: true });
    writeFileSync(ca, internet.ca);
    internet.resolved.length = 0;
    internet.dialled.length = 0;
    questions.length = 0;
    state.answer = { decision: 'allowOnce' };
  };
  clear();
  const send = async (command: string, network: string[] = [], more: Record<string, unknown> = {}) =>
    world.call('shell_execute', {
      command,
      ...(network.length > 0 && { network }),
      timeout: 60_000,
      ...more,
    });
  return {
    ...world,
    ...internet,
    clear,
    questions,
    /** What the person answers from now on. */
    state,
    /** The result of a call, or the sentence that it is refused with. */
    send: async (...given: Parameters<typeof send>) => textOf(await send(...given)),
    /** The output of a command that ran, with the certificate of the fixture. */
    run: async (command: string, network?: string[], more?: Record<string, unknown>) =>
      output.parse(JSON.parse(textOf(await send(`export ${trusting(ca)}; ${command}`, network, more)))),
  };
};

/** One such world for the tests of a `describe`, each with an empty root. */
export const sharedNetwork = (options: () => NetworkOptions) => {
  const opened = shared(() => openNetwork(options()));
  return () => {
    opened().clear();
    return opened();
  };
};
