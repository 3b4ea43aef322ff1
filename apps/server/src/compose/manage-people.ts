import type { Agent } from '@drawbridge/agent';
import type { Accounts, Clients, People, Tokens } from '../auth/index.ts';
import type { Gateway } from '../gateway/index.ts';
import type { Channels } from '../channels/index.ts';
import type { Hooks } from '../hooks/index.ts';
import type { Notifications } from '../notify/index.ts';

interface Needs {
  accounts: Accounts;
  tokens: Pick<Tokens, 'revokeAll'>;
  clients: Pick<Clients, 'revokeAll'>;
  gateway: Pick<Gateway, 'pairing'>;
  notifications: Pick<Notifications, 'removeUser'>;
  hooks: Pick<Hooks, 'removeAll'>;
  channels: Pick<Channels, 'removeUser'>;
  /** Null where there is no agent. */
  threads: Pick<Agent['threads'], 'removeAll'> | null;
  onError(error: unknown): void;
  /** After an account was removed: deletes what it has left. */
  onRemoved(): void;
}

export const managePeople = ({
  accounts,
  tokens,
  clients,
  gateway,
  notifications,
  hooks,
  channels,
  threads,
  onError,
  onRemoved,
}: Needs): People => {
  const endAccess = async (userId: string) => {
    await tokens.revokeAll(userId);
    await clients.revokeAll(userId);
    await hooks.removeAll(userId);
    await channels.removeUser(userId);
  };
  const endGrants = async (userId: string) => {
    await endAccess(userId);
    await gateway.pairing.revokeUser(userId);
  };
  return {
    list: accounts.listPeople,
    endGrants,
    disable: async (userId) => {
      await accounts.disable(userId);
      await endGrants(userId);
    },
    enable: accounts.enable,
    remove: async (userId) => {
      // Disabled first: what is interrupted here leaves an account that can be removed again.
      await accounts.disable(userId);
      await endAccess(userId);
      await gateway.pairing.removeUser(userId);
      await notifications.removeUser(userId);
      // With the folders of their workspaces. What cannot be removed does not keep the account.
      await threads?.removeAll(userId).catch(onError);
      await accounts.remove(userId);
      onRemoved();
    },
  };
};
