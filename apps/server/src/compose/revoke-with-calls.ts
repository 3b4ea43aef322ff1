import type { Clients, Tokens } from '../auth/index.ts';
import type { Gateway } from '../gateway/index.ts';

interface Needs {
  gateway: { calls: Pick<Gateway['calls'], 'cancelOf'> };
  tokens: Tokens;
  clients: Clients;
}

/**
 * Tokens and clients: revoking one, or taking something from one, cancels its open calls too, also calls
 * without a waiting request.
 */
export const revokeWithCalls = ({
  gateway,
  tokens,
  clients,
}: Needs): { tokens: Tokens; clients: Clients } => ({
  tokens: {
    ...tokens,
    update: async (userId, input) => {
      const changed = await tokens.update(userId, input);
      if (changed.isLess) await gateway.calls.cancelOf(userId, { kind: 'token', id: input.id });
      return changed;
    },
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
