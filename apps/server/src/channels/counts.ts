import { channelKinds, type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';

/** Since the server started. */
interface Counts {
  received: number;
  sent: number;
  failed: number;
}

/** Messages of paired senders, and replies, by channel: numbers alone. */
export const createCounts = () => {
  const none = (): Counts => ({ received: 0, sent: 0, failed: 0 });
  const counts = new Map<ChannelKind, Counts>(channelKinds.map((kind) => [kind, none()]));
  return {
    add: (kind: ChannelKind, what: keyof Counts): void => {
      const of = counts.get(kind);
      if (of) of[what] += 1;
    },
    of: (kind: ChannelKind): Counts => ({ ...none(), ...counts.get(kind) }),
  };
};

export type ChannelCounts = ReturnType<typeof createCounts>;
