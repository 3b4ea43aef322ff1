#!/usr/bin/env node
import { CodedError } from '@drawbridge/kit';
import { CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { createPaint } from './commands/answer.ts';
import { connect } from './commands/connect.ts';
import type { AnswerWith } from './commands/context.ts';
import { exitCodeOf } from './commands/errors.ts';
import { mcp } from './commands/mcp.ts';
import { permissions } from './commands/permissions.ts';
import { createProgram } from './commands/program.ts';
import { readEnvironment } from './config.ts';
import { visible, visibleLines } from './permission/index.ts';
import { fold } from './terminal/fold.ts';
import { createTalk } from './terminal/talk.ts';

const environment = readEnvironment();
const talk = createTalk({
  write: (text) => void process.stderr.write(text),
  colours: process.stderr.isTTY && !environment.noColor,
  ...(process.stderr.isTTY && { columns: () => process.stderr.columns }),
});

/** Writes a result, folded where a person reads it on a terminal. */
const print = (text: string): void => {
  const { isTTY, columns } = process.stdout;
  process.stdout.write(`${isTTY ? fold(text, columns) : text}\n`);
};

/** Prints an answer; its Ctrl-C ends what it waits for. */
const answer: AnswerWith = async ({ json = false }, run) => {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort()).once('SIGTERM', () => stop.abort());
  const found = await run({
    environment,
    version: manifest.version,
    write: (text) => void process.stdout.write(text),
    say: (sentence) => talk.block(visible(sentence)),
    signal: stop.signal,
  });
  const paint = createPaint(process.stdout.isTTY && !environment.noColor);
  if (json) process.stdout.write(`${JSON.stringify(found.json, null, 2)}\n`);
  else {
    const text = found.text(paint);
    if (text !== '') print(text);
  }
  process.exitCode = found.code;
};

const onSignal = (session: { stop(): void; pause(): void }): (() => void) => {
  let asked = false;
  const once = (word: string, run: () => void) => () => {
    if (asked) process.exit(1);
    asked = true;
    // The terminal has just echoed ^C.
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    talk.line(word, 'Ctrl-C once more to force');
    run();
  };
  const stop = once('leaving', session.stop);
  const pause = once('stopping', session.pause);
  process.on('SIGINT', stop).on('SIGTERM', pause);
  return () => void process.off('SIGINT', stop).off('SIGTERM', pause);
};

const exitCode = (error: unknown): number => {
  // Commander has said what was wrong; help and version come this way too, with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CodedError) {
    talk.problem(error.message, error.fix);
    return exitCodeOf(error.code);
  }
  talk.problem(error instanceof Error ? error.message : 'Something went wrong');
  return 1;
};

// Node ignores this signal until a package listens to it and leaves: then a write beyond a limit would end the process.
process.on('SIGXFSZ', () => undefined);

// Node would open its inspector, which lets any program on this machine run code in here.
process.on('SIGUSR1', () => undefined);

// Node would print it as it is, with whatever key stands in it.
process.on('uncaughtException', (error) => {
  if (!('code' in error && error.code === 'EPIPE')) talk.block(visibleLines(error.stack ?? error.message));
  process.exit(1);
});

// The token stands in the arguments, which every user of this machine could read.
process.title = 'drawbridge';

const program = createProgram(manifest.version, {
  connect: async (line) => {
    const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
    process.exitCode = await connect(line, {
      environment,
      talk,
      version: manifest.version,
      isTerminal,
      onSignal,
    });
  },
  permissions: async (run) => {
    const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
    const needs = { folder: environment.privateFolder, cwd: process.cwd(), isTerminal };
    process.stdout.write(`${await run(permissions(needs))}\n`);
  },
  mcp: async (run) => {
    process.stdout.write(`${await run(mcp(environment.privateFolder))}\n`);
  },
  answer,
});

program.parseAsync().catch((error: unknown) => {
  process.exitCode = exitCode(error);
});
