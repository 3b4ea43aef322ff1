import type { LiveMessage } from '@drawbridge/contracts/live';
import type { Clock } from '@drawbridge/kit';
import { readUser } from './account.ts';
import { keepStream } from './keep-stream.ts';
import type { Api } from './trpc.ts';

export type Listen = (message: LiveMessage) => void;

interface Needs {
  api: Api;
  clock: Clock;
  listen: Listen;
}

/**
 * Keeps the stream of everything open until the returned function is called. A broken stream is reopened once
 * the server confirms that the user is still signed in.
 */
export const keepLive = ({ api, clock, listen }: Needs): (() => void) =>
  keepStream({
    clock,
    capMs: 5_000,
    open: (ends, onGood) => {
      let isUp = false;
      return api.live.onEvent.subscribe(undefined, {
        ...ends,
        onData: ({ data }) => {
          // A refused stream opens as well; only its first message proves that it works.
          if (!isUp) listen({ type: 'up' });
          isUp = true;
          onGood();
          listen({ type: 'event', event: data });
        },
      });
    },
    onBroken: () => listen({ type: 'down' }),
    mayReopen: async () => {
      const user = await readUser(api).catch(() => undefined);
      return user === undefined ? 'later' : user === null ? 'no' : 'yes';
    },
    onEnd: () => listen({ type: 'signed-out' }),
  });
