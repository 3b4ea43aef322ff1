import { createHash } from 'node:crypto';
import { hookLimits } from '@drawbridge/contracts/outside/hooks';
import { isBodySignature, isStandardSignature } from '../push/index.ts';

/** The headers that sign a delivery; undefined for one that is missing. */
export interface SignedHeaders {
  webhookId: string | undefined;
  webhookTimestamp: string | undefined;
  webhookSignature: string | undefined;
  /** `X-Signature-256`, else `X-Hub-Signature-256`. */
  bodySignature: string | undefined;
}

const isRecent = (timestamp: string, now: number) =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1_000 - now) <= hookLimits.clockMs;

/** The key under which a delivery counts once; null for a signature that is not right. */
export const keyOf = (
  { headers, body, now }: { headers: SignedHeaders; body: Buffer; now: number },
  secret: string,
): string | null => {
  const { webhookId: id, webhookTimestamp: timestamp, webhookSignature, bodySignature } = headers;
  if (webhookSignature !== undefined) {
    if (id === undefined || id.length > 128 || timestamp === undefined || !isRecent(timestamp, now))
      return null;
    return isStandardSignature(secret, { id, timestamp, body }, webhookSignature) ? `id ${id}` : null;
  }
  if (bodySignature === undefined || !isBodySignature(secret, body, bodySignature)) return null;
  // Nothing but the body is signed: another id beside it proves nothing.
  return `body ${createHash('sha256').update(body).digest('hex')}`;
};
