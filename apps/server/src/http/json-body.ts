import { parse } from 'secure-json-parse';
import { errors } from '../errors.ts';

const maxDepth = 64;
const quote = 0x22;
const backslash = 0x5c;
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/** The deepest nesting of a JSON text; one pass over its bytes, no recursion. */
const depthOf = (body: Uint8Array): number => {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (inString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (opening.has(byte)) deepest = Math.max(deepest, (depth += 1));
    else if (closing.has(byte)) depth -= 1;
  }
  return deepest;
};

/**
 * Reads a JSON body. Throws `tooDeep` beyond 64 levels, before anything recursive sees it; `badRequest` for text that is
 * not UTF-8 or not JSON and for keys that would reach a prototype.
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

/** What Fastify is to make of a JSON body; undefined stands for an empty one. By callback: each promise is a way round. */
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
