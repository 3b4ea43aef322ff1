import { join } from 'node:path';
import { cutText, type Clock } from '@drawbridge/kit';
import { createLogFile } from './log-file.ts';
import { createScrubber } from '@drawbridge/kit/node';

/** Full logs that are kept beside the one that is written. */
export const olderLogs = 4;
/** One text in a record, in characters. */
const maxTextLength = 500;

export type LogFields = Readonly<
  Record<string, string | number | boolean | Readonly<Record<string, string>>>
>;

export const logPath = (privateFolder: string): string => join(privateFolder, 'logs', 'drawbridge.log');

const cut = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > maxTextLength ? `${cutText(value, maxTextLength)}…` : value;

/** What no JSON text needs to be read right, and a terminal might act on. */
const toAscii = (text: string): string =>
  text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Writes `logs/drawbridge.log`: one JSON object a line, in ASCII, with keys removed. */
export const createLog = ({ privateFolder, clock }: { privateFolder: string; clock: Clock }) => {
  const file = createLogFile({ path: logPath(privateFolder), older: olderLogs, clock });
  const scrubber = createScrubber();
  return {
    write: (event: string, fields: LogFields = {}) => {
      const record = { at: new Date(clock.now()).toISOString(), event, ...fields };
      file.line(toAscii(scrubber.scrub(JSON.stringify(record, cut))));
    },
    /** A value that must never stand in it. */
    hide: scrubber.hide,
    settled: file.settled,
  };
};

/** What the daemon did, for the person to read later: never contents, arguments, keys or tokens. */
export type Log = ReturnType<typeof createLog>;
