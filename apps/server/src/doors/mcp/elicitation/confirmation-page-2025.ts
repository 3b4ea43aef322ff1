import type { CallWatch } from '../tools/call.ts';
import type { ClientSession } from './client-requests.ts';

/** Shows the user's question on a client of revision 2025-11-25. The client's answer is ignored. */
export const showPageOf =
  (session: ClientSession, send: (message: object) => void): NonNullable<CallWatch['showPage']> =>
  ({ id: elicitationId, url, message }) => {
    const ending = new AbortController();
    const params = { mode: 'url', elicitationId, url, message };
    // A client that is not shown the page leaves the decision to the panel.
    const { signal } = ending;
    session.ask({ method: 'elicitation/create', params }, { send, signal }).catch(() => {});
    return (isOver) => {
      ending.abort();
      if (isOver)
        send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } });
    };
  };
