import { watch } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../text/parse-json.ts';
import { logPath, olderLogs } from './log.ts';

const record = z.looseObject({ at: z.string(), event: z.string() });
export type LogRecord = z.infer<typeof record>;

/** Without invalid lines, such as one that a crash cut off. */
const parse = (text: string): LogRecord[] =>
  text.split('\n').flatMap((line) => parseJson(record, line) ?? []);

/** The last `count` records, oldest first, from the older logs too. */
export const readLast = async (privateFolder: string, count: number): Promise<LogRecord[]> => {
  const path = logPath(privateFolder);
  let records: LogRecord[] = [];
  for (const name of [path, ...Array.from({ length: olderLogs }, (_, at) => `${path}.${at + 1}`)]) {
    if (records.length >= count) break;
    records = [...parse(await readFile(name, 'utf8').catch(() => '')), ...records];
  }
  return records.slice(Math.max(0, records.length - count));
};

const readFrom = async (
  path: string,
  position: number,
): Promise<{ text: string; size: number; ino: number }> => {
  const handle = await open(path);
  try {
    const { size, ino } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.max(0, size - position)), {
      position,
    });
    return { text: buffer.subarray(0, bytesRead).toString('utf8'), size, ino };
  } finally {
    await handle.close();
  }
};

/** Passes on each record as it is written, until aborted. Records during a log rotation may be missed. */
export const followLog = async (
  privateFolder: string,
  { signal, show }: { signal: AbortSignal; show(records: LogRecord[]): void },
): Promise<void> => {
  const path = logPath(privateFolder);
  const start = await readFrom(path, 0).catch(() => ({ size: 0, ino: 0 }));
  let { size: position, ino: inode } = start;
  let rest = '';
  let reading: Promise<void> = Promise.resolve();

  const read = async () => {
    const latest = await readFrom(path, position).catch(() => null);
    if (latest === null) return;
    const isNew = latest.ino !== inode || latest.size < position;
    const part = isNew ? await readFrom(path, 0).catch(() => null) : latest;
    if (part === null) return;
    const text = (isNew ? '' : rest) + part.text;
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    position = part.size;
    inode = part.ino;
    const records = parse(text.slice(0, end));
    if (records.length > 0) show(records);
  };

  await new Promise<void>((resolve) => {
    const watcher = watch(dirname(path), (_event, name) => {
      if (name === null || name === basename(path)) reading = reading.then(read);
    });
    const stop = () => {
      watcher.close();
      resolve();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  await reading;
};
