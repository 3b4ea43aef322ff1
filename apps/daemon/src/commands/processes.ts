import { type LocalProcessesQuery, type ShownProcess } from '@drawbridge/contracts/machines/processes';
import { systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import type { Row } from '../terminal/row.ts';
import { jsonFlag, type Answer, type AnswerWith, type CommandContext } from './common/command.ts';
import { errors } from './common/errors.ts';
import { roughly } from './common/times.ts';

const asked = async ({ environment }: CommandContext, query: LocalProcessesQuery) => {
  const { askDaemons } = await import('../status/control.ts');
  const daemons = await askDaemons(environment.privateFolder, query);
  if (daemons.length === 0) throw errors.notRunning();
  const bodies = daemons.flatMap(({ body }) => body ?? []);
  if (bodies.length === 0) throw errors.noAnswer();
  return bodies.flatMap((body) => ('refused' in body ? [] : [body]));
};

const stateOf = ({ end, waits }: ShownProcess): string => {
  if (end === null) return waits === undefined ? 'running' : `waits for ${waits}`;
  const how = end.cause === 'exited' ? `code ${end.exitCode}` : end.cause;
  return `ended (${end.signal ?? how})`;
};

const lineOf = (row: Row, process: ShownProcess): string => {
  const { id, command, owner, startedAt, hosts, ports, end } = process;
  const age = roughly(systemClock.now() - Date.parse(startedAt));
  const who = owner === '' ? 'you' : visible(owner);
  const network = hosts.length === 0 ? '' : `  ${hosts.map((host) => visible(host)).join(', ')}`;
  const open = ports === undefined || end !== null ? '' : `  ports ${ports.join(', ')}`;
  const words = `${visible(command.split('\n')[0] ?? '')}  ${stateOf(process)}  ${who}  ${age}${network}${open}`;
  return row(id, words, end === null ? 'green' : 'gray');
};

const list = async (context: CommandContext): Promise<Answer> => {
  const processes = (await asked(context, { type: 'list' })).flatMap((body) => body.processes);
  return {
    text: (row) =>
      processes.length === 0 ? ['no processes'] : processes.map((process) => lineOf(row, process)),
    json: { processes },
    code: 0,
  };
};

const show = async (context: CommandContext, id: string): Promise<Answer> => {
  const bodies = await asked(context, { type: 'list', show: id });
  const found = bodies.find(({ output }) => output?.process === id);
  const process = found?.processes.find((one) => one.id === id);
  if (found?.output === undefined || process === undefined) throw errors.noProcess();
  const { text } = found.output;
  return {
    text: (row) => [
      lineOf(row, process),
      ...text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => visible(line)),
    ],
    json: { process, output: text },
    code: 0,
  };
};

const stop = async (context: CommandContext, id: string): Promise<Answer> => {
  const bodies = await asked(context, { type: 'stop', process: id });
  const process = bodies.flatMap(({ processes }) => processes).find((one) => one.id === id);
  if (process === undefined) throw errors.noProcess();
  return { text: (row) => [lineOf(row, process)], json: { process }, code: 0 };
};

const open = async (context: CommandContext, id: string, text: string): Promise<Answer> => {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
    throw errors.wrongUse({ message: `${text} is no port` });
  const bodies = await asked(context, { type: 'open', process: id, port });
  const opened = bodies.flatMap((body) => body.opened ?? [])[0];
  if (opened === undefined) throw errors.noPort();
  return { text: () => [opened.url], json: opened, code: 0 };
};

const maxTyped = 2_000;

/** A line that the user types without an echo; without a terminal, the first line of standard input. */
const readTyped = async ({ isTerminal }: CommandContext, id: string): Promise<string | undefined> => {
  if (isTerminal) {
    const { password } = await import('@clack/prompts');
    const typed = await password({ output: process.stderr, message: `For ${id}` });
    return typeof typed === 'string' ? typed : undefined;
  }
  const { text } = await import('node:stream/consumers');
  return (await text(process.stdin)).split('\n')[0];
};

const type = async (context: CommandContext, id: string): Promise<Answer> => {
  const shown = await asked(context, { type: 'list' });
  const found = shown.flatMap(({ processes }) => processes).find((one) => one.id === id);
  if (found === undefined) throw errors.noProcess();
  if (found.end !== null) throw errors.noProcess({ message: 'This process has ended' });
  const typed = await readTyped(context, id);
  if (typed === undefined) return { text: () => ['nothing was typed'], json: { typed: false }, code: 1 };
  if (typed.length > maxTyped) throw errors.wrongUse({ message: 'The line is longer than 2,000 characters' });
  if ((await asked(context, { type: 'type', process: id, text: typed })).length === 0)
    throw errors.noProcess();
  return { text: () => [`typed into ${id}`], json: { typed: true }, code: 0 };
};

/** `drawbridge processes`: commands that agents keep running on this machine. */
export const addProcesses = (program: Command, answer: AnswerWith): void => {
  const command = program
    .command('processes')
    .description('commands that agents keep running in the background')
    .addHelpText('after', '\nExamples:\n  $ drawbridge processes\n  $ drawbridge processes stop p1-k2f9xa');
  command
    .command('list', { isDefault: true })
    .description('list those that run, and those that ended in the last 24 hours')
    .option(...jsonFlag)
    .action((options: { json?: boolean }) => answer(options, list));
  command
    .command('show <id>')
    .description('show the last output of one')
    .option(...jsonFlag)
    .action((id: string, options: { json?: boolean }) => answer(options, (context) => show(context, id)));
  command
    .command('stop <id>')
    .description('stop one, with all that it has started')
    .option(...jsonFlag)
    .action((id: string, options: { json?: boolean }) => answer(options, (context) => stop(context, id)));
  command
    .command('type <id>')
    .description('type a line into one yourself, such as a password; no agent and no record gets it')
    .option(...jsonFlag)
    .action((id: string, options: { json?: boolean }) => answer(options, (context) => type(context, id)));
  command
    .command('open <id> <port>')
    .description('open a port of one on this computer, until it ends')
    .option(...jsonFlag)
    .action((id: string, port: string, options: { json?: boolean }) =>
      answer(options, (context) => open(context, id, port)),
    );
};
