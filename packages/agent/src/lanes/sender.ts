import type { Sender } from './api.ts';

export const personKey = 'person';
/** Of messages that were stored before their senders were. */
export const unknownKey = 'unknown';
const hookPrefix = 'hook:';

/** The person who is signed in, with all rights. */
export const personSender = (userId: string, channel: string): Sender => ({
  userId,
  key: personKey,
  channel,
  groups: null,
  usesMemory: true,
});

/** The name of the webhook that a sender is; null for every other sender. */
export const hookOf = (key: string): string | null =>
  key.startsWith(hookPrefix) ? key.slice(hookPrefix.length) : null;

/** Whose thread a sender makes: a client reads its own, a person reads all. Null for the person's. */
export const ownerOf = (key: string): string | null =>
  key === personKey || hookOf(key) !== null ? null : key;
