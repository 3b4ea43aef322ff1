import type { Sender as LaneSender } from '@drawbridge/agent';
import type { Door } from '@drawbridge/contracts/calls';
import type { ServerAgent } from '../agent/index.ts';
import type { Gateway } from '../gateway/index.ts';
import type { PresenceOfServer, Sender } from '../nodes/index.ts';

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
