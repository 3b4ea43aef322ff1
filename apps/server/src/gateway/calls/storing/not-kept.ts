import { createHash } from 'node:crypto';
import { notKeptArgument } from '@drawbridge/contracts/tool-call';

/** The longest arguments, as JSON in bytes, that are kept of a call that has ended. */
const keptBytes = 64 * 1024;

/** What the store keeps of the arguments of an ended call: their digest where they are long, else null. */
export const digestOfLong = (args: Record<string, unknown>): string | null => {
  const text = JSON.stringify(args);
  // A character is at most three bytes.
  if (text.length * 3 <= keptBytes) return null;
  const bytes = Buffer.byteLength(text);
  if (bytes <= keptBytes) return null;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return JSON.stringify({ [notKeptArgument]: { bytes, sha256 } });
};
