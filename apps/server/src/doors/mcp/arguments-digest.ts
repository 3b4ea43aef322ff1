import { createHash } from 'node:crypto';
import { canonical } from '@drawbridge/kit';

/** Tells arguments apart whatever the order of their names (SHA-256, base64url). */
export const argumentsDigest = (given: Record<string, unknown>): string =>
  createHash('sha256').update(canonical(given)).digest('base64url');
