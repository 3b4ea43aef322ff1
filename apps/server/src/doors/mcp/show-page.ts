import type { Session } from './answer-plain.ts';
import type { Page } from './waiting-answer.ts';

/** Shows a page by way of the client; the returned function is told at the end whether the page is of no use any more. */
export type ShowPage = (page: Page) => (isOver: boolean) => void;

/** For a client of revision 2025-11-25 that can show one. What it answers is not listened to: it decides nothing. */
export const showPageOf =
  (session: Session, send: (message: object) => void): ShowPage =>
  ({ id: elicitationId, url, message }) => {
    const ending = new AbortController();
    const params = { mode: 'url', elicitationId, url, message };
    void session.ask({ method: 'elicitation/create', params }, { send, signal: ending.signal });
    return (isOver) => {
      ending.abort();
      if (isOver)
        send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } });
    };
  };
