import { createHash } from 'node:crypto';

const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // In an object of its own, so that it is no array of pairs.
  return { entries: entries.map(([name, one]) => [name, ordered(one)]) };
};

/** Tells arguments apart whatever the order of their names (SHA-256, base64url). */
export const argumentsDigest = (given: Record<string, unknown>): string =>
  createHash('sha256')
    .update(JSON.stringify(ordered(given)))
    .digest('base64url');
