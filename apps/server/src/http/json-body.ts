import { parse } from 'secure-json-parse';
import { errors } from '../errors.ts';

const maxDepth = 64;
const quote = 0x22;
const backslash = 0x5c;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
/**
 * After so many bytes of a text its next quote is looked for by the runtime, which is fast with long texts
 * alone.
 */
const longText = 16;

/** Whether the byte at `at` is escaped; no escape before `from` reaches it. */
const isEscaped = (body: Uint8Array, at: number, from: number): boolean => {
  let before = at;
  while (before > from && body[before - 1] === backslash) before -= 1;
  return (at - before) % 2 === 1;
};

/** Where the text ends that begins at `from`, behind its quote. */
const endOfText = (body: Uint8Array, from: number): number => {
  let at = from;
  for (;;) {
    for (const enough = at + longText; at < enough; at += 1) {
      const byte = body[at];
      if (byte === quote || byte === undefined) return at;
      if (byte === backslash) at += 1;
    }
    const quoteAt = body.indexOf(quote, at);
    if (quoteAt < 0) return body.length;
    if (!isEscaped(body, quoteAt, at)) return quoteAt;
    at = quoteAt + 1;
  }
};

/** The deepest nesting of a JSON text; one pass over its bytes, no recursion. */
const depthOf = (body: Uint8Array): number => {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === quote) at = endOfText(body, at + 1);
    else if (byte === openArray || byte === openObject) deepest = Math.max(deepest, (depth += 1));
    else if (byte === closeArray || byte === closeObject) depth -= 1;
  }
  return deepest;
};

/**
 * Reads a JSON body. Throws `tooDeep` beyond 64 levels, before any recursion; `badRequest` for invalid UTF-8
 * or JSON, and for keys that would reach a prototype.
 */
export const readJson = (body: Uint8Array): { text: string; value: unknown } => {
  if (depthOf(body) > maxDepth) throw errors.tooDeep();
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const value: unknown = parse(text, undefined, { protoAction: 'error', constructorAction: 'error' });
    return { text, value };
  } catch {
    throw errors.badRequest({ message: 'The body is not valid JSON' });
  }
};

/**
 * What Fastify is to make of a JSON body; undefined stands for an empty one. By callback: each promise is a
 * way round.
 */
export const jsonParser =
  (pick: (json: { text: string; value: unknown } | undefined) => unknown) =>
  (_request: unknown, body: Buffer, done: (error: Error | null, value?: unknown) => void): void => {
    let value: unknown;
    try {
      value = pick(body.length === 0 ? undefined : readJson(body));
    } catch (cause) {
      return done(cause instanceof Error ? cause : errors.internal({ cause }));
    }
    done(null, value);
  };
