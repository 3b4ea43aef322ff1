import { procedureResult, type TestServer } from './server.ts';

/** Posts to a procedure, with or without a session. */
export const call = (
  server: TestServer,
  procedure: string,
  { body, cookie }: { body?: unknown; cookie?: string } = {},
) =>
  server.send(`/trpc/${procedure}`, {
    method: 'POST',
    ...(body === undefined ? {} : { body }),
    headers: { 'content-type': 'application/json', ...(cookie === undefined ? {} : { cookie }) },
  });

/** The person of a cookie's session, or null. `more` are further headers, such as another cookie's proof. */
export const me = async (server: TestServer, cookie: string, more: Record<string, string> = {}) =>
  procedureResult(await server.send('/trpc/account.me', { headers: { cookie, ...more } }));

export const signIn = (server: TestServer, body: unknown) =>
  server.send('/api/auth/sign-in/email', { method: 'POST', body });

/** The code of a procedure's error. */
export const codeOf = (got: { json: unknown }) =>
  // tRPC's envelope, which the door's own tests pin.
  (got.json as { error: { data: { code: string } } }).error.data.code;
