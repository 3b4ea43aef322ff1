import { tokenDigest } from '../digest.ts';

const prefix = 'sha256:';

/** What the store and the server keep of a session's token: its SHA-256. */
export const sessionKeyOf = (token: string): string => prefix + tokenDigest(token);

/** The pattern of keys in SQL. No token of the account library has the colon. */
export const keyPattern = `${prefix}%`;
