import { systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import { createServerApi, createSessionFile, withServer } from '../link/index.ts';
import { ownCommand } from '../program/own-command.ts';
import {
  confirm,
  jsonFlag,
  mustBeAskable,
  type Answer,
  type AnswerWith,
  type CommandContext,
} from './common/command.ts';
import { errors } from './common/errors.ts';
import { showUrl } from './common/server-url.ts';

const endMs = 10_000;

interface DisconnectOptions {
  yes?: boolean;
  force?: boolean;
  json?: boolean;
}

const saidYes = async (url: string, { notify }: CommandContext): Promise<boolean> => {
  notify(
    `This ends the pairing with ${url}. Running calls are cancelled, and permissions for this session are ` +
      'deleted. Modes and permanent rules stay. To connect again, you need a new command from the panel.',
  );
  return confirm('End the pairing?', false);
};

/** Tells the server; a key that it does not accept any more has nothing left to end. */
const endAtServer = async (url: URL, key: string): Promise<{ failed: string | null }> => {
  const reply = await withServer(url, { clock: systemClock, withinMs: endMs }, (http, signal) =>
    createServerApi(http, systemClock).disconnect(key, signal),
  );
  const isOver = reply.ok || reply.failure.kind === 'refused' || reply.status === 404;
  return { failed: isOver ? null : reply.failure.sentence };
};

/** Ends the pairing, here and at the server. A running daemon gets a message from the server, and ends. */
const disconnect = async (options: DisconnectOptions, context: CommandContext): Promise<Answer> => {
  const { yes = false, force = false } = options;
  const { environment } = context;
  const sessionFile = createSessionFile({ folder: environment.privateFolder, clock: systemClock });
  const session = await sessionFile.read();
  if (session === null) {
    return {
      text: (row) => [row('not paired', 'There is no pairing to end.')],
      json: { disconnected: false, url: null },
      code: 0,
    };
  }
  const url = new URL(session.url);
  const shown = visible(showUrl(url));
  mustBeAskable(yes, context, 'disconnect needs a terminal, or --yes');
  if (!yes && !(await saidYes(shown, context)))
    throw errors.declined({ message: 'Still paired: you answered no' });
  const { failed } = await endAtServer(url, session.key);
  if (failed !== null && !force) {
    throw errors.notTaken({
      message: `Cannot reach ${shown} (${failed}), so the pairing was not ended`,
      fix: `Try again, or disconnect this machine in the panel and run ${ownCommand('disconnect --force')}.`,
    });
  }
  await sessionFile.forget();
  return {
    text: (row) => [
      row('disconnected', shown, 'green'),
      failed !== null && row('careful', `The server was not notified (${failed}).`),
    ],
    json: { disconnected: true, url: showUrl(url), serverTold: failed === null },
    code: 0,
  };
};

export const addDisconnect = (program: Command, answer: AnswerWith): void => {
  program
    .command('disconnect')
    .description('end the pairing: a new command from the panel is needed to connect again')
    .option('--yes', 'do not ask')
    .option('--force', 'delete the key here even when the server cannot be reached')
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge disconnect')
    .action((options: DisconnectOptions) => answer(options, (context) => disconnect(options, context)));
};
