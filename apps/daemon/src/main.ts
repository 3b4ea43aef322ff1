import { releaseName } from '@drawbridge/contracts/release';
import { CodedError, visible, visibleLines } from '@drawbridge/kit';
import { CommanderError } from 'commander';
import { connect } from './commands/connect/connect.ts';
import type { AnswerWith } from './commands/common/command.ts';
import { exitCodeOf } from './commands/common/errors.ts';
import { createProgram, type Actions } from './commands/program.ts';
import { readEnvironment } from './config.ts';
import { readRelease } from './program/own-release.ts';
import { wrapText } from './text/wrap.ts';
import { createRow } from './terminal/row.ts';
import { createTerminalOutput } from './terminal/terminal-output.ts';

// Beside `src` and `dist` alike; the packed one has the build in it.
const release = readRelease(new URL('../package.json', import.meta.url)) ?? { version: '0.0.0' };
const environment = readEnvironment();
const terminal = createTerminalOutput({
  write: (text) => void process.stderr.write(text),
  colours: process.stderr.isTTY && !environment.noColor,
  ...(process.stderr.isTTY && { columns: () => process.stderr.columns }),
});

const isTerminal = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

const print = (text: string): void => {
  const { isTTY, columns } = process.stdout;
  process.stdout.write(`${isTTY ? wrapText(text, columns) : text}\n`);
};

const answer: AnswerWith = async ({ json }, run) => {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort()).once('SIGTERM', () => stop.abort());
  const result = await run({
    environment,
    release,
    write: (text) => void process.stdout.write(text),
    print,
    notify: (sentence) => terminal.printText(visible(sentence)),
    isTerminal: isTerminal(),
    signal: stop.signal,
  });
  if (json === true) process.stdout.write(`${JSON.stringify(result.json, null, 2)}\n`);
  else {
    const lines = result.text(createRow(process.stdout.isTTY && !environment.noColor));
    const shown = lines.filter((line) => line !== false);
    if (shown.length > 0) print(shown.join('\n'));
  }
  process.exitCode = result.code;
};

const onSignal = (stop: () => void): (() => void) => {
  let asked = false;
  const onSignalEvent = () => {
    if (asked) process.exit(1);
    asked = true;
    // The terminal has just echoed ^C.
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    terminal.line('stopping', 'Ctrl-C once more to force');
    stop();
  };
  process.on('SIGINT', onSignalEvent).on('SIGTERM', onSignalEvent);
  return () => void process.off('SIGINT', onSignalEvent).off('SIGTERM', onSignalEvent);
};

const exitCode = (error: unknown): number => {
  // Commander has said what was wrong; help and version come this way too, with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CodedError) {
    terminal.problem(error.message, error.fix);
    return exitCodeOf(error.code);
  }
  terminal.problem(error instanceof Error ? error.message : 'Something went wrong');
  return 1;
};

// Node ignores this signal unless a package has listened to it: then a write beyond a limit ends the process.
process.on('SIGXFSZ', () => undefined);

// Node would open its inspector, which lets any program on this machine run code in here.
process.on('SIGUSR1', () => undefined);

// Node would print it as it is, with whatever key stands in it.
process.on('uncaughtException', (error) => {
  if (!('code' in error && error.code === 'EPIPE'))
    terminal.printText(visibleLines(error.stack ?? error.message));
  process.exit(1);
});

// The token stands in the arguments, which every user of this machine could read.
process.title = 'drawbridge';

const actions: Actions = {
  connect: async (line) => {
    process.exitCode = await connect(line, {
      environment,
      terminal,
      release,
      isTerminal: isTerminal(),
      onSignal,
    });
  },
  answer,
};

const run = async () => {
  const program = await createProgram(releaseName(release), actions, process.argv.slice(2));
  await program.parseAsync();
};

run().catch((error: unknown) => {
  process.exitCode = exitCode(error);
});
