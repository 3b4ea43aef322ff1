import { createBoundedMap, jsonOf } from '@drawbridge/kit';
import { withoutKeys, type Scrubber } from '@drawbridge/kit/node';
import { pino, type Logger } from 'pino';
import { z } from 'zod';

export type { Logger } from 'pino';

const hidden = '[hidden]';
/** A shorter one is a word, such as the key `none` of a local model. */
const shortestSecret = 8;
/** Of secrets that `hide` was called with; one that is in use is passed to it at each read. */
const maxHidden = 1_000;

/** Valid in JSON, but a terminal or another reader of lines acts on them. */
const lineBreaking = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const spellings = (secret: string): string[] =>
  [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)].filter(
    ({ length }) => length >= shortestSecret,
  );

/** Removes keys from a log line, in linear time; `secrets` are values that only this server knows. */
export const createScrubber = (secrets: readonly string[]): Scrubber => {
  const own = secrets.flatMap(spellings);
  const later = createBoundedMap<string, true>({ maxEntries: maxHidden });
  return {
    hide: (secret) => {
      for (const spelling of spellings(secret)) later.set(spelling, true);
    },
    scrub: (line) => {
      const known = [...own, ...[...later].map(([spelling]) => spelling)];
      const without = known.reduce((text, secret) => text.replaceAll(secret, hidden), line);
      return withoutKeys(without, hidden).replace(lineBreaking, escaped);
    },
  };
};

const levelNames: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
};

const line = z.object({
  level: z.number(),
  msg: z.string().default(''),
  err: z.object({ message: z.string(), stack: z.string().default('') }).optional(),
});

/** Valid in JSON as an escape, but a terminal acts on it. */
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** A line of log for a person at a terminal: `error  <message>: <cause>`, with the stack below an error. */
const asText = (json: string): string => {
  const { data } = line.safeParse(jsonOf(json));
  if (data === undefined) return json;
  const { level, msg, err } = data;
  const message = [msg, err?.message].filter(Boolean).join(': ').replaceAll('\n', '\\n');
  const frames = err?.stack.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  const stack = level < 50 ? '' : frames.join('\n');
  const text = `${levelNames[level] ?? 'fatal'}  ${message}${stack && `\n${stack}`}`;
  return `${text.replace(control, escaped)}\n`;
};

interface LogNeeds {
  level: string;
  /** JSON by default. */
  format?: 'text' | 'json';
  scrubber: Scrubber;
  write(line: string): void;
  /** Gets each scrubbed line as JSON, whatever the format. */
  keep?(json: string): void;
}

/** Writes one line of JSON or text, scrubbed as the last step. */
export const createLog = ({ level, format, scrubber, write, keep }: LogNeeds): Logger => {
  const form = format === 'text' ? asText : (json: string) => json;
  const writeLine = (json: string) => {
    const scrubbed = scrubber.scrub(json);
    keep?.(scrubbed);
    write(form(scrubbed));
  };
  return pino({ level, base: null }, { write: writeLine });
};
