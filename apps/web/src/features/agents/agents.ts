import type { ConnectedClient } from '@drawbridge/contracts/clients';
import type { AccessToken } from '@drawbridge/contracts/tokens';
import type { Api } from '../../api/index.ts';

/** An access token, or a client that signed in. */
export type Agent = (AccessToken & { kind: 'token' }) | (ConnectedClient & { kind: 'client' });

export const loadAgents = async (api: Api): Promise<Agent[]> => {
  const [clients, tokens] = await Promise.all([api.clients.list.query(), api.tokens.list.query()]);
  return [
    ...clients.map((client) => ({ ...client, kind: 'client' as const })),
    ...tokens.map((token) => ({ ...token, kind: 'token' as const })),
  ];
};

export const revokeAgent = (api: Api, { kind, id }: Agent): Promise<unknown> =>
  kind === 'token' ? api.tokens.revoke.mutate({ id }) : api.clients.revoke.mutate({ id });

/** What is lost when it is revoked. */
export const lossOf = ({ kind }: Agent): string =>
  kind === 'token'
    ? 'Access with it ends at once, and its running calls are cancelled. This cannot be undone.'
    : 'Its access ends at once, and its running calls are cancelled. To use your machines again, it needs your permission again.';

/** The value of the filter of calls that selects those of an agent. */
export const makerOf = ({ kind, id }: Pick<Agent, 'kind' | 'id'>): string => `${kind}:${id}`;
