import { homedir } from 'node:os';
import { protocolRevision } from '@drawbridge/contracts';
import { sleep, systemClock } from '@drawbridge/kit';
import type { Command } from 'commander';
import { createHttp, createServerApi, createSessionFile } from '../link/index.ts';
import { visible } from '../permission/index.ts';
import { row, type Answer } from './answer.ts';
import { jsonFlag, type AnswerWith, type CommandContext } from './context.ts';
import { errors } from './errors.ts';
import { hostIdentifier } from './identity.ts';
import { addKeyStore, addInsecure } from './flags.ts';
import { readOptions } from './options.ts';
import { showUrl } from './server-url.ts';
import { showKept } from './show-kept.ts';

/** For the server to answer. */
const pairMs = 20_000;

interface PairLine {
  url: string | undefined;
  token: string | undefined;
  flags: Record<string, unknown>;
}

/** Swaps the token for a session key and keeps it; nothing is offered and nothing stays connected. */
const pair = async (line: PairLine, { environment, version }: CommandContext): Promise<Answer> => {
  const { url, token, keyStore } = readOptions({ ...line, dir: undefined }, environment);
  if (url === null || token === null) {
    throw errors.wrongUse({
      message: 'The address of the server and a token are needed',
      fix: 'Open the panel, choose Connect, and copy both from the command that it shows.',
    });
  }
  const { privateFolder } = environment;
  const sessionFile = createSessionFile({ folder: privateFolder, clock: systemClock, keyStore });
  // A token is good for one use: where the key goes is tried before.
  await sessionFile.tryOut();
  const http = createHttp(url);
  const over = new AbortController();
  const late = sleep(systemClock, pairMs, over.signal).then(
    () => over.abort(),
    () => {},
  );
  try {
    const reply = await createServerApi(http).init(
      token,
      {
        rootPath: homedir(),
        tools: [],
        hostIdentifier: hostIdentifier(),
        daemon: { version, protocol: protocolRevision, features: [] },
      },
      over.signal,
    );
    if (!reply.ok) {
      throw errors.notTaken({
        message: `Cannot pair with ${showUrl(url)} (${reply.failure.sentence})`,
        fix:
          reply.failure.kind === 'refused'
            ? 'Open the panel, choose Connect, and use the new token: each is good for one use within five minutes.'
            : 'Check the address, and that the server runs; then run the command again.',
      });
    }
    const key = reply.value.sessionKey ?? token;
    await sessionFile.write({ url: url.href, key, hostIdentifier: hostIdentifier() });
  } finally {
    over.abort();
    await late;
    http.close();
  }
  const keptIn = (await sessionFile.look())?.keptIn ?? 'file';
  return {
    text: (paint) =>
      [
        row('paired', visible(showUrl(url)), (word) => paint('green', word)),
        row('key', showKept(keptIn, privateFolder)),
        row('next', 'drawbridge connect, or drawbridge service install', (word) => paint('cyan', word)),
      ].join('\n'),
    json: { url: showUrl(url), hostIdentifier: hostIdentifier(), keptIn },
    code: 0,
  };
};

export const addPair = (program: Command, answer: AnswerWith): void => {
  const command = program
    .command('pair')
    .description('pair this machine and keep the key, without staying connected')
    .argument('[url]', 'address of the server')
    .argument('[token]', 'pairing token from the panel')
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge pair https://bridge.example.org gw_…');
  addInsecure(command);
  addKeyStore(command);
  command.action((url: string | undefined, token: string | undefined, flags: Record<string, unknown>) =>
    answer({ json: flags['json'] === true }, (context) => pair({ url, token, flags }, context)),
  );
};
