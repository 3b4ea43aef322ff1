import { sessionsListParams, sessionsListResult as result } from '@drawbridge/contracts/rpc/sessions';
import { sessionUserOf } from '../../agent/session.ts';
import { method } from '../../method.ts';

/** The sessions that the connection may use, the last used first. */
export const sessionsList = method({
  name: 'sessions.list',
  who: 'agent',
  params: sessionsListParams,
  result,
}).handle(async ({ sessions, connections }, { connection: { identity }, params }) => {
  const { includePersisted, ...page } = params;
  if (includePersisted) return sessions.list(sessionUserOf(identity), page);
  const own = connections
    .ofUser(identity.userId)
    .filter((one) => one.identity.principal === identity.principal);
  return sessions.list(sessionUserOf(identity), {
    ...page,
    onlyOpen: new Set(own.map(({ sessionId }) => sessionId)),
  });
});
