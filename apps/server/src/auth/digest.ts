import { createHash, timingSafeEqual } from 'node:crypto';

/** What the store keeps of a secret: its SHA-256, in hexadecimal. */
export const digest = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Whether two secrets are the same, in a time that tells nothing about where they differ. */
export const sameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(digest(one)), Buffer.from(digest(other)));
