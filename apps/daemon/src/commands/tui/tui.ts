import { systemClock } from '@drawbridge/kit';
import type { Command } from 'commander';
import { nanoid } from 'nanoid';
import { inWords, jsonFlag, type Answer, type AnswerWith, type CommandContext } from '../common/command.ts';
import { ownCommand } from '../../program/own-command.ts';
import { errors } from '../common/errors.ts';
import { findKept } from '../common/find-kept.ts';
import { addInsecure } from '../common/flags.ts';
import { parseServerUrl } from '../common/server-url.ts';
import type { Credential } from './socket.ts';

interface TuiOptions {
  json?: boolean;
  server?: string;
  session?: string;
  signIn?: boolean;
  send?: string;
  allowInsecureHttp?: boolean;
}

const examples = `
The token needs the permission agent, and the groups of tools that its chats may use.

Examples:
  $ drawbridge tui --server https://bridge.example.org
  $ drawbridge tui --session tui:blog --sign-in
  $ echo 'List the posts of May' | drawbridge tui`;

const serverOf = async (options: TuiOptions, { environment }: CommandContext): Promise<URL> => {
  const text = options.server ?? environment.url ?? (await findKept(environment.privateFolder))?.url;
  if (text === undefined)
    throw errors.wrongUse({ message: 'Which server?', fix: 'Pass --server, or set DRAWBRIDGE_URL.' });
  return parseServerUrl(text, { allowInsecureHttp: options.allowInsecureHttp === true });
};

/** Asks on the terminal; `hidden` shows no letters. Throws `wrongUse` when it is cancelled. */
const ask = async (message: string, hidden: boolean): Promise<string> => {
  const prompts = await import('@clack/prompts');
  const options = { message, output: process.stderr };
  const given = await (hidden ? prompts.password(options) : prompts.text(options));
  if (typeof given === 'string' && given !== '') return given;
  throw errors.wrongUse({ message: 'Nothing was entered', fix: `See ${ownCommand('tui --help')}.` });
};

const tokenOf = async ({ environment, isTerminal }: CommandContext): Promise<string> => {
  const token = environment.token ?? (isTerminal ? await ask('Access token', true) : undefined);
  if (token === undefined)
    throw errors.wrongUse({ message: 'There is no access token', fix: 'Set DRAWBRIDGE_TOKEN.' });
  if (/^dbt_[!-~]{1,200}$/.test(token)) return token;
  throw errors.wrongUse({
    message: 'This is not an access token',
    fix: 'Create one in the panel, under Agents; it begins with dbt_.',
  });
};

/** A tool could type an answer where this machine offers its keyboard. */
const whyNoAnswers = async ({ environment }: CommandContext): Promise<string | null> => {
  const { readStatuses } = await import('../../status/read-status.ts');
  const running = await readStatuses(environment.privateFolder);
  return running.some(({ modes }) => (modes.computer ?? 'deny') !== 'deny')
    ? 'Answer it in the panel: agents may type on this machine.'
    : null;
};

const start = async (options: TuiOptions, context: CommandContext): Promise<Answer> => {
  const { environment, isTerminal, write, notify, signal } = context;
  const { json = false, send: message } = options;
  const server = await serverOf(options, context);
  if (options.signIn === true && !isTerminal)
    throw errors.wrongUse({ message: '--sign-in needs a terminal', fix: 'Set DRAWBRIDGE_TOKEN instead.' });
  const { runTui } = await import('./run-tui.ts');
  const { createPipe } = await import('./pipe.ts');
  const { createScreen } = await import('./screen.ts');
  const { signIn } = await import('./sign-in.ts');
  const account =
    options.signIn === true
      ? await signIn(server, { email: await ask('E-mail', false), password: await ask('Password', true) })
      : null;
  const token = account === null ? await tokenOf(context) : '';
  const credential = account?.credential ?? (async (): Promise<Credential> => ({ kind: 'token', token }));
  const isScreen = isTerminal && process.stdout.isTTY && !json && message === undefined;
  const newId = () => `tui:${nanoid(8)}`;
  try {
    const problem = await runTui({
      server,
      clock: systemClock,
      credential,
      sessionId: options.session ?? newId(),
      newId,
      message,
      inOrder: !isScreen,
      noAnswers: account === null ? 'Answer it in the panel, or /stop.' : await whyNoAnswers(context),
      signal,
      createView: (events) =>
        isScreen
          ? createScreen({
              ...events,
              input: process.stdin,
              output: process.stdout,
              clock: systemClock,
              colours: !environment.noColor,
            })
          : createPipe({
              ...events,
              input: message === undefined ? process.stdin : undefined,
              write,
              note: notify,
              json,
            }),
    });
    return { ...inWords(), code: problem === null ? 0 : 1 };
  } finally {
    await account?.signOut();
  }
};

export const addTui = (program: Command, answer: AnswerWith): void => {
  const command = program
    .command('tui')
    .description('chat with the built-in agent in this terminal, or by a pipe')
    .option('--server <url>', 'address of the server (default: the one of the last session)')
    .option('--session <id>', 'the chat to go on with (default: a new one)')
    .option('--sign-in', 'sign in with e-mail and password, to answer questions here')
    .option('--send <text>', 'send one message, print the answer, and end')
    .option(jsonFlag[0], 'print each event as one line of JSON')
    .addHelpText('after', examples)
    // Its lines are printed as they come, in either form.
    .action((options: TuiOptions) => answer({}, (context) => start(options, context)));
  addInsecure(command);
};
