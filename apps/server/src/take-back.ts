import type { Clients, Tokens } from './auth/index.ts';
import type { Gateway } from './gateway/index.ts';

interface Needs {
  gateway: { calls: Pick<Gateway['calls'], 'cancelOf'> };
  tokens: Tokens;
  clients: Clients;
}

/** Tokens and clients that take their open calls with them when the person revokes them, also those that nobody waits for. */
export const withTheirCalls = ({
  gateway,
  tokens,
  clients,
}: Needs): { tokens: Tokens; clients: Clients } => ({
  tokens: {
    ...tokens,
    revoke: async (userId, id) => {
      await tokens.revoke(userId, id);
      await gateway.calls.cancelOf(userId, { kind: 'token', id });
    },
  },
  clients: {
    ...clients,
    revoke: async (userId, id) => {
      await clients.revoke(userId, id);
      await gateway.calls.cancelOf(userId, { kind: 'client', id });
    },
  },
});
