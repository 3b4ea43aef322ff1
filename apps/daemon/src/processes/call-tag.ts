import { createHash } from 'node:crypto';

/**
 * Marks what a call starts and leaves half-written, so that both are found after a crash. Another daemon's
 * call of the same id has another tag: `instance` is the journal's. 22 characters of base64url.
 */
export const callTag = (instance: string, requestId: string): string =>
  createHash('sha256').update(`${instance}\n${requestId}`).digest('base64url').slice(0, 22);
