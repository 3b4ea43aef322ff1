import { CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { createProgram } from './commands/program.ts';
import { readConfig, startedIn, type Config } from './config.ts';
import { fail, sentenceOf } from './program/sentences.ts';

// Node would open its inspector, which lets any program on this machine run code in here.
process.on('SIGUSR1', () => undefined);

/** The usage error was printed; `--help` and `--version` exit here too. */
const ended = (error: unknown) => {
  if (!(error instanceof CommanderError)) return fail(sentenceOf(error));
  process.exitCode = error.exitCode === 0 ? 0 : 2;
};

const readOrFail = (): Config => {
  const read = readConfig();
  return 'problem' in read ? fail(read.problem) : read.config;
};
// The server, which takes a second to load, and what needs its store are loaded once they are needed.
const serve = async () => {
  const config = readOrFail();
  const server = await import('./serve.ts');
  await server.serve(config);
};
const actions = async () => {
  const config = readOrFail();
  const { createActions } = await import('./commands/actions.ts');
  return createActions({
    config,
    cwd: startedIn(),
    print: (text) => void process.stdout.write(text),
    note: (text) => void process.stderr.write(text),
  });
};
const program = createProgram(manifest.version, {
  start: serve,
  listUsers: async (options) => (await actions()).listUsers(options),
  resetPassword: async (email) => (await actions()).resetPassword(email),
  disableUser: async (email) => (await actions()).disableUser(email),
  enableUser: async (email) => (await actions()).enableUser(email),
  listMachines: async (options) => (await actions()).listMachines(options),
  renameMachine: async (choice) => (await actions()).renameMachine(choice),
  setDefaultMachine: async (choice) => (await actions()).setDefaultMachine(choice),
  disconnectMachine: async (choice) => (await actions()).disconnectMachine(choice),
  forgetMachine: async (choice) => (await actions()).forgetMachine(choice),
  createToken: async (token) => (await actions()).createToken(token),
  backUp: async (folder) => (await actions()).backUp(folder),
  restore: async (folder) => (await actions()).restore(folder),
  copyStore: async (to) => (await actions()).copyStore(to),
  doctor: async (options) => (await actions()).doctor(options),
});
program.parseAsync().catch(ended);
