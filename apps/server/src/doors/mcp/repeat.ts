import { ProtocolError, ProtocolErrorCode, type CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { CallClaim } from '../../gateway/index.ts';

const keyName = 'drawbridge/idempotencyKey';
/** Where an answer says that it is that of an earlier call. */
const repeatKey = 'drawbridge/repeatOf';
const longestKey = 200;

const idempotencyKey = z
  .string()
  .max(longestKey)
  .regex(/^[\x21-\x7e]+$/);

/** The key by which a client names its call; undefined where it does not. Throws a `ProtocolError` for what is none. */
export const keyAsked = (meta: Record<string, unknown>): string | undefined => {
  const given = meta[keyName];
  if (given === undefined) return undefined;
  const read = idempotencyKey.safeParse(given);
  if (read.success) return read.data;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `_meta["${keyName}"] must have 1 to ${longestKey} printable characters without blanks`,
  );
};

const firstLine =
  'The same call was made a moment ago, and its answer was not read. It was not run again: this is what became of it.';

/** An answer that is that of an earlier call: it says so, in words where the client did not ask for it with a key. */
export const repeatAnswer = (
  { content, _meta, ...answer }: CallToolResult,
  { first, by }: Extract<CallClaim, { kind: 'repeat' }>,
): CallToolResult => ({
  ...answer,
  content: by === 'unread' ? [{ type: 'text', text: firstLine }, ...content] : content,
  _meta: { ..._meta, [repeatKey]: first },
});
