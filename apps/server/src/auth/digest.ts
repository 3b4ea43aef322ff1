import { hash, timingSafeEqual } from 'node:crypto';

/** What the store keeps of a secret: its SHA-256, in hexadecimal. */
export const digest = (secret: string): string => hash('sha256', secret);

/** What better-auth keeps of a token: its SHA-256, in base64url. */
export const tokenDigest = (token: string): string => hash('sha256', token, 'base64url');

/** Whether two secrets are the same, in a time that tells nothing about where they differ. */
export const sameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(digest(one)), Buffer.from(digest(other)));
