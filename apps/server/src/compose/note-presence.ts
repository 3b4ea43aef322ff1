import type { Sender as LaneSender } from '@drawbridge/agent';
import type { Door } from '@drawbridge/contracts/calls';
import type { ServerAgent } from '../agent/index.ts';
import type { Clock } from '@drawbridge/kit';
import { createLocalBus, createLoneServer, type Gateway, type ThisServer } from '../gateway/index.ts';
import { createPresence, createPresenceStore, type PresenceOfServer, type Sender } from '../nodes/index.ts';
import type { OpenAccounts } from './open-accounts.ts';
import type { Others } from './servers/connect-servers.ts';

interface PresenceNeeds {
  clock: Clock;
  opened: Pick<OpenAccounts, 'store' | 'onError'>;
  others: Pick<Others, 'server'>;
}

/** Presence, with the server that notes it among those of the store. */
export const openPresence = (needs: PresenceNeeds): { server: ThisServer; presence: PresenceOfServer } => {
  const { store, onError } = needs.opened;
  const server = needs.others.server ?? createLoneServer(needs.clock, createLocalBus(onError));
  return { server, presence: createPresence({ server, store: createPresenceStore(store.db), onError }) };
};

type Recording = Pick<PresenceOfServer, 'sent'>;

/** The surface of each door; the agent's own calls have no sender. */
const channels: Record<Door, string | null> = {
  trpc: 'panel',
  mcp: 'mcp',
  rest: 'rest',
  jsonrpc: 'ws',
  'daemon-http': null,
  agent: null,
};

/** The same gateway; each call is recorded as a message of its maker. */
export const recordCalls = (gateway: Gateway, presence: Recording): Gateway => ({
  ...gateway,
  calls: {
    ...gateway.calls,
    open: (machine, toolCall, options) => {
      const { door, via } = options;
      const channel = channels[door];
      const { userId } = machine;
      if (channel !== null)
        presence.sent({ userId, channel, senderId: via?.id ?? userId, senderName: via?.name ?? '' });
      return gateway.calls.open(machine, toolCall, options);
    },
  },
});

/** `token:<id>` and the like; a person is their user. */
const senderOf = ({ userId, key, channel }: LaneSender): Sender => {
  const at = key.indexOf(':');
  const senderId = at < 0 ? userId : key.slice(at + 1);
  return { userId, channel, senderId, senderName: '' };
};

/** The same agent; each message is recorded. */
export const recordMessages = (module: ServerAgent, presence: Recording): ServerAgent => {
  const { agent } = module;
  return {
    ...module,
    agent: {
      ...agent,
      send: (sender, threadId, input) => {
        presence.sent(senderOf(sender));
        return agent.send(sender, threadId, input);
      },
      lanes: {
        ...agent.lanes,
        send: (sender, threadId, input) => {
          presence.sent(senderOf(sender));
          return agent.lanes.send(sender, threadId, input);
        },
      },
    },
  };
};
