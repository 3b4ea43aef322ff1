import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink } from '@trpc/client';
import { EventSource } from 'eventsource';
import type { AppRouter } from '../src/doors/trpc/index.ts';
import { cookiesOf, sessionHeaders, type TestServer } from './server.ts';

/** The panel's client, with a session's cookie and its proof. */
export const createPanel = (server: TestServer, cookie: string) => {
  const url = `${server.url}/trpc`;
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({
          url,
          EventSource,
          eventSourceOptions: () => ({
            fetch: (target, init) =>
              fetch(target, { ...init, headers: { ...init.headers, ...sessionHeaders(cookie) } }),
          }),
        }),
        false: httpBatchLink({ url, headers: sessionHeaders(cookie) }),
      }),
    ],
  });
};

export type Panel = ReturnType<typeof createPanel>;

/** Invites a second person; returns the cookies of their session. */
export const guestOf = async (server: TestServer, owner: Panel): Promise<string> => {
  const { url } = await owner.invitations.create.mutate();
  const body = {
    invitationToken: url.split('#token=')[1],
    name: 'Guest',
    email: 'guest@example.org',
    password: 'a long password',
  };
  return cookiesOf(await server.send('/trpc/invitations.accept', { method: 'POST', body }));
};
