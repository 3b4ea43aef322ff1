import type { MessageFile } from '@drawbridge/contracts/agent/events';
import type { ToolScope } from '@drawbridge/contracts/groups';
import type { RunRow } from './rows.ts';

/** Who sends a message, and with what rights its run works. */
export interface Sender {
  userId: string;
  /** `person`, `token:<id>`, `tailnet:<login>`, `hook:<name>` or `telegram:<sender>`. */
  key: string;
  /** Where it comes from: `panel`, `rest`, `ws`, `hook`, a channel, or the frontend of a session id. */
  channel: string;
  /** The groups of tools that its runs may use; null for all. */
  groups: readonly ToolScope[] | null;
  /** Whether its runs know what is remembered of the person. */
  usesMemory: boolean;
}

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

const runtimePrefix = 'runtime:';

/** The author of what a coding agent writes; it is no sender of messages. */
export const runtimeKey = (id: string): string => `${runtimePrefix}${id}`;
export const isRuntimeKey = (key: string): boolean => key.startsWith(runtimePrefix);

/** The name of the webhook that a sender is; null for every other sender. */
export const hookOf = (key: string): string | null =>
  key.startsWith(hookPrefix) ? key.slice(hookPrefix.length) : null;

/** A webhook starts no coding agent of a machine, and a client only with that group. */
export const mayUseRuntimes = ({ key, groups }: Pick<Sender, 'key' | 'groups'>): boolean =>
  hookOf(key) === null && (groups === null || groups.includes('runtime'));

/** The owner of a thread that a sender makes: a client reads its own, a person (null) reads all. */
export const ownerOf = (key: string): string | null =>
  key === personKey || hookOf(key) !== null ? null : key;

/** Whether messages hold text from outside: those of a client or a webhook, and every attachment. */
export const isFromOutside = (
  { sender }: Pick<RunRow, 'sender'>,
  messages: readonly { files: readonly MessageFile[] }[],
): boolean => sender !== personKey || messages.some(({ files }) => files.length > 0);
