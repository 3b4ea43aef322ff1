import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { maskSecrets } from '@drawbridge/agent';
import type { Clock } from '@drawbridge/kit';
import { parse } from 'secure-json-parse';
import type { AnswerHead as Head, Observer } from './own-fetch.ts';

/** Exchanges of one server, and bytes of one answer. */
export const recordLimits = { exchanges: 1_000, bodyBytes: 4 * 1024 * 1024 } as const;

/** Writes exchanges with models into a folder. Null beyond the limit. */
export interface Recorder {
  begin(): Exchange | null;
}

export interface Exchange extends Observer {
  /** Call when the answer has ended, however it did. */
  end(): void;
}

interface Needs {
  folder: string;
  clock: Clock;
  /** Leaves out the keys that this server knows. */
  scrub(text: string): string;
  onError(error: unknown): void;
}

/** Each text without secrets; the rest of the value as it is. */
const withoutSecrets = (value: unknown, scrub: Needs['scrub']): string =>
  JSON.stringify(
    value,
    (_name, one: unknown) => (typeof one === 'string' ? scrub(maskSecrets(one)) : one),
    2,
  );

/** The bodies of requests and answers, one file each; headers, and with them the keys, are left out. */
export const createRecorder = ({ folder, clock, scrub, onError }: Needs): Recorder => {
  let begun = 0;
  const write = async (name: string, { request, ...answer }: Head & { isCut: boolean; body: string }) => {
    const asked: unknown = parse(request, { protoAction: 'remove', constructorAction: 'remove' });
    const text = withoutSecrets({ request: asked, ...answer }, scrub);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, name), text, { mode: 0o600, flag: 'wx' });
  };
  return {
    begin: () => {
      if (begun >= recordLimits.exchanges) return null;
      begun += 1;
      const name = `${String(clock.now()).padStart(15, '0')}-${String(begun).padStart(4, '0')}.json`;
      const pieces: Uint8Array[] = [];
      let bytes = 0;
      let head: Head | null = null;
      return {
        answered: (answer) => {
          head = answer;
        },
        bytes: (piece) => {
          bytes += piece.length;
          if (bytes <= recordLimits.bodyBytes) pieces.push(piece);
        },
        end: () => {
          if (head === null) return;
          const body = Buffer.concat(pieces).toString('utf8');
          write(name, { ...head, isCut: bytes > recordLimits.bodyBytes, body }).catch(onError);
        },
      };
    },
  };
};
