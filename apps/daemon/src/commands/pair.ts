import { homedir } from 'node:os';
import { protocolRevision } from '@drawbridge/contracts/daemon-info';
import { systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import { createServerApi, createSessionFile, withServer } from '../link/index.ts';
import { ownCommand } from '../program/own-command.ts';
import { jsonFlag, type Answer, type AnswerWith, type CommandContext } from './common/command.ts';
import { errors } from './common/errors.ts';
import { hostIdentifier } from './common/identity.ts';
import { addKeyStore, addInsecure } from './common/flags.ts';
import { readOptions, checkToken } from './common/options.ts';
import { showUrl } from './common/server-url.ts';
import { notPaired } from './connect/show-link.ts';
import { showKept } from './common/sentences.ts';

const pairMs = 20_000;

interface PairLine {
  url: string | undefined;
  token: string | undefined;
  flags: Record<string, unknown>;
}

/** Swaps the token for a session key and keeps it; nothing is offered and nothing stays connected. */
const pair = async (line: PairLine, { environment, release }: CommandContext): Promise<Answer> => {
  const { url, token, keyStore } = readOptions({ ...line, dir: undefined }, environment);
  if (url === null || token === null) {
    throw errors.wrongUse({
      message: 'The address of the server and a token are needed',
      fix: 'Open the panel, choose Connect a machine, and copy both from the command that it shows.',
    });
  }
  checkToken(token);
  const { privateFolder } = environment;
  const sessionFile = createSessionFile({ folder: privateFolder, clock: systemClock, keyStore });
  // A token is good for one use: where the key goes is tried before.
  await sessionFile.probe();
  const body = {
    rootPath: homedir(),
    tools: [],
    hostIdentifier: hostIdentifier(),
    daemon: { ...release, protocol: protocolRevision, features: [] },
  };
  const reply = await withServer(url, { clock: systemClock, withinMs: pairMs }, (http, signal) =>
    createServerApi(http, systemClock).init(token, body, signal),
  );
  if (!reply.ok) {
    const [message, fix] = notPaired(url, reply.failure);
    throw errors.notTaken({ message, fix });
  }
  const key = reply.value.sessionKey ?? token;
  await sessionFile.write({ url: url.href, key, hostIdentifier: hostIdentifier() });
  const keptIn = (await sessionFile.readKept())?.keptIn ?? 'file';
  return {
    text: (row) => [
      row('paired', visible(showUrl(url)), 'green'),
      row('key', showKept(keptIn, privateFolder)),
      row('next', `${ownCommand('connect')}, or ${ownCommand('service install')}`, 'cyan'),
    ],
    json: { url: showUrl(url), hostIdentifier: hostIdentifier(), keptIn },
    code: 0,
  };
};

export const addPair = (program: Command, answer: AnswerWith): void => {
  const command = program
    .command('pair')
    .description('pair this machine and save the key, without staying connected')
    .argument('[url]', 'address of the server')
    .argument('[token]', 'pairing token from the panel')
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge pair https://bridge.example.org gw_…');
  addInsecure(command);
  addKeyStore(command);
  command.action((url: string | undefined, token: string | undefined, flags: Record<string, unknown>) =>
    answer(flags, (context) => pair({ url, token, flags }, context)),
  );
};
