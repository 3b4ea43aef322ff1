import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import { row } from '../terminal/row.ts';
import { logPath, type LogRecord } from '../log/index.ts';
import { inWords, jsonFlag, type Answer, type AnswerWith, type CommandContext } from './common/command.ts';
import { errors } from './common/errors.ts';
import { localTime } from './common/times.ts';

interface LogsOptions {
  json?: boolean;
  follow?: boolean;
  lines?: string;
}

const defaultLines = 50;
const maxLines = 1_000_000;

const readCount = (text: string | undefined): number => {
  if (text === undefined) return defaultLines;
  const count = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (count <= maxLines) return count;
  throw errors.wrongUse({ message: `--lines is ${text}`, fix: 'Use a whole number, for example -n 100.' });
};

/** A record in words with blanks between them, which a terminal can wrap. */
const showValue = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}:${showValue(part)}`)
    .join(' ');
};

const showRecord = ({ at, event, ...fields }: LogRecord): string =>
  visible(
    `${localTime(at)}  ${row(
      event,
      Object.entries(fields)
        .map(([name, value]) => `${name}=${showValue(value)}`)
        .join('  '),
    )}`,
  );

/** The last lines of the daemon's log; with `follow` also what comes, until aborted. */
const logs = async (
  { json = false, follow = false, lines }: LogsOptions,
  { environment, notify, signal, write, print }: CommandContext,
): Promise<Answer> => {
  const { privateFolder } = environment;
  const { followLog, readLast } = await import('../log/read-log.ts');
  const records = await readLast(privateFolder, readCount(lines));
  if (records.length === 0) notify(`Nothing is logged yet in ${logPath(privateFolder)}.`);
  const put = (records: LogRecord[]) => {
    if (records.length === 0) return;
    if (json) write(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    else print(records.map(showRecord).join('\n'));
  };
  put(records);
  if (!follow) return inWords();
  await mkdir(dirname(logPath(privateFolder)), { recursive: true, mode: 0o700 });
  await followLog(privateFolder, { signal, show: put });
  return inWords();
};

export const addLogs = (program: Command, answer: AnswerWith): void => {
  program
    .command('logs')
    .description('print the log of this machine; it has no contents, arguments or keys')
    .option('-f, --follow', 'keep printing new records, until Ctrl-C')
    .option('-n, --lines <number>', `how many lines (default: ${defaultLines})`)
    .option(jsonFlag[0], 'print the records as they are: one JSON object a line')
    .addHelpText('after', '\nExample:\n  $ drawbridge logs --follow -n 20')
    .action((options: LogsOptions) =>
      // It prints its lines as they come, in either form.
      answer({}, (context) => logs(options, context)),
    );
};
