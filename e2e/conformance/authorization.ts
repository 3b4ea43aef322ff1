import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { consentReply } from '@drawbridge/contracts/clients';
import { z } from 'zod';
import { freePort, newFolder, until, type Person, type Processes } from '../harness/index.ts';
import { suiteFolder } from '../harness/programs.ts';
import { failedIn } from './suite.ts';

/** What the suite requires of an authorization server; the second scenario needs what the first one finds. */
export const authorizationScenarios = [
  'authorization-server-metadata-endpoint',
  'authorization-code-grant',
] as const;

const redirected = z.object({ url: z.string() });
const registered = z.object({ client_id: z.string() });
const json = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Does what the person's browser does at the address that a client opens; the address of the client's callback. */
const consent = async (person: Person, opened: URL): Promise<string> => {
  // A `fetch` gets as JSON where a browser is redirected.
  const page = redirected.parse(await (await person.fetch(opened.pathname + opened.search)).json());
  const query = page.url.split('?')[1] ?? '';
  const { openedBy } = await person.api.clients.request.query({ query });
  const answer = await person.fetch(
    '/api/auth/oauth2/consent',
    json({ accept: true, scopes: ['filesystemRead'], query, openedBy }),
  );
  return consentReply.parse(await answer.json()).url;
};

/** The suite prints the address before it listens, and closes its callback when it is called, at times unanswered. */
const isCalled = (callback: string): Promise<boolean> =>
  fetch(callback).then(
    () => true,
    (error: Error) => (error.cause as { code?: string } | undefined)?.code !== 'ECONNREFUSED',
  );

/** Runs the suite's command `authorization`; the checks that failed, by scenario. `origin` is the server's. */
export const runAuthorization = async (
  processes: Processes,
  { origin, person }: { origin: string; person: Person },
): Promise<Record<string, string[]>> => {
  const folder = newFolder('conformance');
  const port = await freePort();
  const registration = await fetch(
    `${origin}/api/auth/oauth2/register`,
    json({
      client_name: 'Conformance',
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
      token_endpoint_auth_method: 'none',
    }),
  );
  const { client_id } = registered.parse(await registration.json());
  const suite = processes.start({
    command: process.execPath,
    args: [
      join(suiteFolder(), 'dist/index.js'),
      'authorization',
      ...['--url', `${origin}/api/auth`],
      ...['--client-id', client_id],
      ...['--resource', `${origin}/mcp`],
      ...['--port', String(port)],
      ...['-o', folder],
    ],
    cwd: folder,
  });
  const [address] = await suite.says(/^http\S+\/authorize\?\S+$/m);
  const callback = await consent(person, new URL(address));
  await until(() => isCalled(callback));
  await suite.exit;
  const folders = readdirSync(folder);
  return Object.fromEntries(
    authorizationScenarios.map((name) => {
      const found = folders.find((one) => one.includes(name));
      return [name, found ? failedIn(join(folder, found)) : [`not run: ${suite.output()}`]];
    }),
  );
};
