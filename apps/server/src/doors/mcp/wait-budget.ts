import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The longest that a client may ask to be kept waiting while the person is asked. */
export const longestWaitMs = 10 * 60 * 1_000;
const waitKey = 'drawbridge/waitMs';

export const waitMs = z.number().int().min(0).max(longestWaitMs);

/** How long a client wants to wait; undefined where it does not say. Throws a `ProtocolError` for what is no such time. */
export const waitAsked = (meta: Record<string, unknown>): number | undefined => {
  const given = meta[waitKey];
  if (given === undefined) return undefined;
  const read = waitMs.safeParse(given);
  if (read.success) return read.data;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `_meta["${waitKey}"] must be a whole number from 0 to ${longestWaitMs}`,
  );
};
