import { crc32 } from 'node:zlib';
import { requestId } from '@drawbridge/contracts/ids';
import { z } from 'zod';
import { parseJson } from '../text/parse-json.ts';

const id = requestId;

/**
 * In the order of a call: `started` is on disk before the tool runs, `done` before its result is sent.
 * `paths` may be left half-written; `body` is a `ResponseBody` as JSON; `doubt` marks a broken page.
 */
export const journalRecord = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('received'), id, tool: z.string() }),
  z.object({ kind: z.literal('started'), id, tool: z.string(), paths: z.array(z.string()) }),
  z.object({ kind: z.literal('done'), id, body: z.string() }),
  z.object({ kind: z.literal('taken'), id }),
  z.object({ kind: z.literal('dropped'), id }),
  z.object({ kind: z.literal('doubt'), at: z.number() }),
]);
export type JournalRecord = z.infer<typeof journalRecord>;

const sumOf = (text: string): string => crc32(text).toString(16).padStart(8, '0');

const sealed = (text: string): string => `${sumOf(text)} ${text}`;

/** What stands behind a right checksum. */
const opened = (line: string): string | undefined => {
  const text = line.slice(9);
  return line === sealed(text) ? text : undefined;
};

export const encodeRecord = (record: JournalRecord): string => `${sealed(JSON.stringify(record))}\n`;

export const decodeRecord = (line: string): JournalRecord | undefined =>
  parseJson(journalRecord, opened(line));

const title = 'drawbridge journal 1';
const digits = 15;

/** The first line: how many bytes of the page were on disk for certain. A page that is shorter was cut. */
export const encodeHead = (certainBytes: number): string =>
  `${sealed(`${title} ${String(certainBytes).padStart(digits, '0')}`)}\n`;

export const headBytes = encodeHead(0).length;

export const decodeHead = (line: string): number | undefined => {
  const text = opened(line);
  if (text === undefined || !text.startsWith(`${title} `)) return undefined;
  const certain = Number(text.slice(title.length + 1));
  return Number.isSafeInteger(certain) ? certain : undefined;
};
