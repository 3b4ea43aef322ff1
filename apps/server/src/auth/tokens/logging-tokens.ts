import type { Tokens } from './tokens.ts';
import type { Logger } from '../../program/log.ts';

/** The same tokens; the log says which were created, changed and revoked, for the operator. */
export const loggingTokens = (tokens: Tokens, log: Pick<Logger, 'info'>): Tokens => ({
  ...tokens,
  create: async (userId, input) => {
    const token = await tokens.create(userId, input);
    log.info({ userId, token: token.id, scopes: token.scopes }, `access token created: ${token.name}`);
    return token;
  },
  update: async (userId, input) => {
    const changed = await tokens.update(userId, input);
    const { id, name, scopes, machines } = changed.token;
    log.info({ userId, token: id, scopes, machines }, `access token changed: ${name}`);
    return changed;
  },
  revoke: async (userId, id) => {
    await tokens.revoke(userId, id);
    log.info({ userId, token: id }, 'access token revoked');
  },
  revokeAll: async (userId) => {
    await tokens.revokeAll(userId);
    log.info({ userId }, 'all access tokens of the account revoked');
  },
});
