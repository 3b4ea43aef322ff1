import type { ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import type {
  ChannelGroup,
  ChannelGroupInput,
  UpdateChannelGroupInput,
} from '@drawbridge/contracts/outside/channels';
import { errors } from '../../errors.ts';
import type { Durability, Write } from '../../db/index.ts';
import type { GroupsStore, StoredGroup } from './groups.store.ts';

interface Needs {
  store: GroupsStore;
  messages: { commit(writes: readonly Write[], durability: Durability): Promise<boolean> };
  /** Ends what runs for the account in the conversation. */
  stop(userId: string, conversation: Pick<StoredGroup, 'kind' | 'conversation'>): void;
  log: { info(facts: object, sentence: string): void };
}

const toGroup = ({ kind, conversation, title, isOn, groups, seenAt }: StoredGroup): ChannelGroup => ({
  kind: kind as ChannelKind,
  conversation,
  title,
  isOn,
  groups,
  seenAt: new Date(seenAt).toISOString(),
});

/** Groups of an account: in which the bot answers, and with which tools. */
export const createGroups = ({ store, messages, stop, log }: Needs) => {
  const find = async (userId: string, { kind, conversation }: ChannelGroupInput): Promise<StoredGroup> => {
    const all = await store.ofUser(userId);
    const group = all.find((one) => one.kind === kind && one.conversation === conversation);
    if (!group) throw errors.notFound();
    return group;
  };
  const end = async (group: StoredGroup): Promise<void> => {
    await messages.commit(store.end(group), 'synced');
    stop(group.userId, group);
  };

  return {
    list: async (userId: string): Promise<ChannelGroup[]> => (await store.ofUser(userId)).map(toGroup),
    /** Throws `notFound`, and `conflict` where the bot answers another account there. */
    update: async (userId: string, { isOn, groups, ...key }: UpdateChannelGroupInput): Promise<void> => {
      const group = await find(userId, key);
      const answering = await store.answering(key.kind, key.conversation);
      if (isOn && answering !== null && answering.userId !== userId)
        throw errors.conflict({
          message: 'The bot answers another account in this group',
          fix: 'Have it turned off there first.',
        });
      await store.update({ ...key, userId }, { isOn, groups });
      log.info({ ...key, userId, isOn, groups }, 'a group of a channel was changed');
      if (group.isOn && !isOn) await end(group);
    },
    /** Forgets it, with what waits there. Throws `notFound`. */
    remove: async (userId: string, key: ChannelGroupInput): Promise<void> => {
      const group = await find(userId, key);
      await end(group);
      await messages.commit([store.remove(group)], 'synced');
    },
    /** A sender of the account has ended: what the account has started in groups ends as well. */
    stopAll: async (userId: string, kind: string): Promise<void> => {
      for (const group of await store.ofUser(userId))
        if (group.isOn && group.kind === kind) stop(userId, group);
    },
    removeUser: async (userId: string): Promise<void> => {
      for (const group of await store.ofUser(userId)) {
        await end(group);
        await messages.commit([store.remove(group)], 'synced');
      }
    },
  };
};
