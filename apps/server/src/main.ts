import { CodedError, systemClock } from '@drawbridge/kit';
import { createApp, openAccounts, type App } from './app.ts';
import { readCommand, usage, type Command } from './command-line.ts';
import { configHelp, readConfig } from './config.ts';
import { createToken } from './create-token.ts';
import { isLoopback } from './http/index.ts';

/** After this the process ends whatever is still open. */
const forceAfterMs = 4_800;

const fail = (sentence: string): never => {
  process.stderr.write(`error  ${sentence}\n`);
  process.exit(1);
};

const sentenceOf = (error: unknown): string => {
  if (error instanceof CodedError) return [error.message, error.fix].filter(Boolean).join('. ');
  return error instanceof Error ? error.message : 'The server could not start';
};

const listenSentence = (error: unknown, place: { host: string; port: number }): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return `Port ${place.port} on ${place.host} is in use. Stop what uses it, or set PORT.`;
  if (code === 'EACCES')
    return `Port ${place.port} on ${place.host} may not be opened by this user. Set PORT to one above 1023.`;
  if (code === 'EADDRNOTAVAIL') return `This machine has no address ${place.host}. Set HOST.`;
  return sentenceOf(error);
};

/** What nobody caught goes through the log, which hides keys, and ends the process: its state is unknown. */
const endOnUncaught = (app: App) => {
  const end = (error: unknown) => {
    app.log.fatal({ err: error }, 'nobody caught this');
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
};

const stopOnSignals = (app: App) => {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    app.log.info({ signal }, 'shutting down');
    systemClock.after(forceAfterMs, () => process.exit(0));
    app.close().then(
      () => process.exit(0),
      (error: unknown) => {
        app.log.error({ err: error }, 'shutting down went wrong');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};

const run = async () => {
  const read = readConfig();
  if ('problem' in read) return fail(read.problem);
  const { config } = read;
  const app = await createApp({
    config,
    clock: systemClock,
    writeLog: (line) => void process.stderr.write(line),
  });
  if (!isLoopback(config.host) && config.publicUrl === undefined) {
    app.log.warn(
      `HOST is ${config.host} and PUBLIC_URL is not set: set it to the https address that people use.`,
    );
  }
  endOnUncaught(app);
  stopOnSignals(app);
  try {
    const url = await app.listen();
    const setupLink = await app.setupLink();
    process.stdout.write(`Drawbridge is ready on ${url}\n`);
    if (setupLink !== null) process.stdout.write(`Make the owner account: ${setupLink}\n`);
  } catch (error) {
    fail(listenSentence(error, config));
  }
};

const makeToken = async ({ email, input, json }: Extract<Command, { kind: 'token-create' }>) => {
  const read = readConfig();
  if ('problem' in read) return fail(read.problem);
  const { config } = read;
  const open = () =>
    openAccounts({
      config: { ...config, logLevel: 'warn' },
      clock: systemClock,
      writeLog: (line) => void process.stderr.write(line),
    });
  const made = await createToken({ dataDir: config.dataDir, open }, { email, input });
  if (json) return void process.stdout.write(`${JSON.stringify(made)}\n`);
  process.stderr.write(
    `Made "${made.name}" for ${email}: ${made.scopes.join(', ')}; until ${made.expiresAt}.\n`,
  );
  process.stderr.write('It is shown only now.\n');
  process.stdout.write(`${made.token}\n`);
};

// Node would open its inspector, which lets any program on this machine run code in here.
process.on('SIGUSR1', () => undefined);

const command = readCommand(process.argv.slice(2));
const failed = (error: unknown) => fail(sentenceOf(error));
switch (command.kind) {
  case 'start':
    run().catch(failed);
    break;
  case 'help':
    process.stdout.write(`${usage}\n${configHelp()}`);
    break;
  case 'token-create':
    makeToken(command).catch(failed);
    break;
  case 'wrong':
    process.stderr.write(`error  ${command.sentence}\n`);
    process.exitCode = 2;
    break;
  default:
    command satisfies never;
}
