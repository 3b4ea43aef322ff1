import { socketRequest, type SocketRequest } from '@drawbridge/contracts/link/socket';
import { z } from 'zod';
import { errors } from '../../../errors.ts';
import { readJson } from '../../../http/index.ts';

const message = z.array(socketRequest).min(1);

interface Message {
  requests: SocketRequest[];
  /** Whether each body is one that HTTP would read; otherwise `readBody` tells which. */
  isChecked: boolean;
}

/** The posts of a message; undefined for anything else. */
export const readMessage = (bytes: Uint8Array): Message | undefined => {
  try {
    return { requests: message.parse(readJson(bytes).value), isChecked: true };
  } catch {
    // One body may be at fault, and the others are answered all the same.
  }
  try {
    return { requests: message.parse(JSON.parse(String(bytes))), isChecked: false };
  } catch {
    return undefined;
  }
};

const writeJson = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (cause) {
    // Too deep for the stack: nothing that was JSON before fails otherwise.
    throw errors.tooDeep({ cause });
  }
};

/** A body by the checks of HTTP. Throws `tooDeep` and `badRequest`. */
export const readBody = (body: unknown): unknown => readJson(Buffer.from(writeJson(body))).value;
