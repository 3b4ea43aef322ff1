import type { ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import type { ChannelSender, UpdateChannelSenderInput } from '@drawbridge/contracts/outside/channels';
import { errors } from '../../errors.ts';
import type { Durability, Write } from '../../db/index.ts';
import type { SendersStore, StoredSender } from './senders.store.ts';

interface Needs {
  store: SendersStore;
  messages: { commit(writes: readonly Write[], durability: Durability): Promise<boolean> };
  /** Ends what runs for the account in the conversation. */
  stop(userId: string, conversation: { kind: string; conversation: string }): void;
  /** The same in groups. */
  stopGroups(userId: string, kind: string): Promise<void>;
  log: { info(facts: object, sentence: string): void };
  onError(error: unknown): void;
}

const iso = (at: number) => new Date(at).toISOString();

const toSender = (sender: StoredSender): ChannelSender => {
  const { senderId, name, groups, usesMemory, answers, speak, pairedAt, lastSeenAt } = sender;
  const kind = sender.kind as ChannelKind;
  const times = { pairedAt: iso(pairedAt), lastSeenAt: iso(lastSeenAt) };
  return { kind, senderId, name, groups, usesMemory, answers, speak, ...times };
};

/** Senders of an account, and what ends with one of them. */
export const createSenders = ({ store, messages, stop, stopGroups, log, onError }: Needs) => {
  /** Ends what the sender's messages have started. */
  const onUnpaired = ({ kind, senderId, userId }: StoredSender): void => {
    log.info({ kind, senderId, userId }, 'a sender of a channel was unpaired');
    stop(userId, { kind, conversation: senderId });
    stopGroups(userId, kind).catch(onError);
  };
  const remove = async (sender: StoredSender): Promise<void> => {
    await messages.commit(store.remove(sender), 'synced');
    onUnpaired(sender);
  };

  return {
    onUnpaired,
    list: async (userId: string): Promise<ChannelSender[]> => (await store.ofUser(userId)).map(toSender),
    /** Throws `notFound`. */
    update: async (userId: string, { kind, senderId, ...to }: UpdateChannelSenderInput): Promise<void> => {
      if (!(await store.update({ kind, senderId, userId }, to))) throw errors.notFound();
    },
    /** With what waits for the sender; ends what runs. Throws `notFound`. */
    remove: async (userId: string, kind: ChannelKind, senderId: string): Promise<void> => {
      const sender = await store.find(kind, senderId);
      if (sender?.userId !== userId) throw errors.notFound();
      await remove(sender);
    },
    removeUser: async (userId: string): Promise<void> => {
      await store.removeCodesOf(userId);
      for (const sender of await store.ofUser(userId)) await remove(sender);
    },
  };
};
