import type { LookupAddress } from 'node:dns';
import { clientLimits } from '@drawbridge/contracts/clients';
import { describe, expect, it } from 'vitest';
import { asJson, documentOf, openSite, publicAddress, siteHost } from '../../../test/document-site.ts';
import { newVerifier, openOauth } from '../../../test/oauth.ts';
import { procedureResult } from '../../../test/server.ts';
import { openTestStore } from '../../../test/store-place.ts';

const clientUrl = `https://${siteHost}/client.json`;

/** Whether a client of that address reaches the person. */
const isAsked = async ({ authorize }: Awaited<ReturnType<typeof openOauth>>, client = clientUrl) => {
  const got = await authorize(client, { challenge: newVerifier().challenge });
  const to = new URL(got.headers.location ?? '', 'https://bridge.example');
  return to.searchParams.has('sig');
};

it('a client that is a document comes in: the person sees its site, and its token holds', async () => {
  const site = await openSite();
  const { connect, use, refresh, tokensOf, authorize, queryOf, server, cookie } = await openOauth(site);
  const query = queryOf(await authorize(clientUrl, { challenge: newVerifier().challenge }));
  const input = encodeURIComponent(JSON.stringify({ query }));
  const shown = await server.send(`/trpc/clients.request?input=${input}`, { headers: { cookie } });
  expect(procedureResult(shown)).toMatchObject({
    clientId: clientUrl,
    name: 'Agent of a site',
    host: siteHost,
    origin: 'document',
  });
  const { id, tokens } = await connect(['filesystemRead'], { client: clientUrl });
  expect(await use(tokens.access_token)).toBe(200);
  const next = tokensOf(await refresh(id, tokens.refresh_token ?? ''));
  expect(await use(next.access_token)).toBe(200);
  const list = procedureResult(await server.send('/trpc/clients.list', { headers: { cookie } }));
  expect(list).toMatchObject([{ id: clientUrl, host: siteHost, origin: 'document' }]);
  expect(site.asked).toEqual(['/client.json']);
});

it('MC-18 unconnected clients do not pile up, with a document or registered', async () => {
  const site = await openSite();
  const opened = await openOauth(site);
  const { db, close } = await openTestStore(opened.server.dataDir);
  // A table of better-auth, which our schema does not name.
  const own = db.withTables<{
    oauthClient: { id: string; clientId: string; name: string; redirectUris: string; createdAt: string };
  }>();
  const rows = Array.from({ length: clientLimits.unconnected }, (_, at) => ({
    id: `c${at}`,
    clientId: `https://${siteHost}/${at}.json`,
    name: 'x',
    redirectUris: '[]',
    createdAt: new Date(at).toISOString(),
  }));
  for (let at = 0; at < rows.length; at += 100)
    await own
      .insertInto('oauthClient')
      .values(rows.slice(at, at + 100))
      .execute();
  const left = async () => {
    const ids = await own.selectFrom('oauthClient').select('id').orderBy('createdAt').execute();
    return [ids.length, ids[0]?.id];
  };
  expect(await isAsked(opened)).toBe(true);
  expect(await left()).toEqual([clientLimits.unconnected, 'c1']);
  await opened.clientId();
  expect(await left()).toEqual([clientLimits.unconnected, 'c2']);
  await close();
});

const v4 = (address: string): LookupAddress => ({ address, family: 4 });
const v6 = (address: string): LookupAddress => ({ address, family: 6 });

describe('a document is not fetched', () => {
  it.each([
    ['from this machine', [v4('127.0.0.1')]],
    ['from this machine, in IPv6', [v6('::1')]],
    ['from this machine, in a mapped form', [v6('::ffff:127.0.0.1')]],
    ['from a private network', [v4('10.0.0.1')]],
    ['from a private network, in IPv6', [v6('fd00::1')]],
    ['from the network of a cloud', [v4('169.254.169.254')]],
    ['from a carrier', [v4('100.64.0.1')]],
    ['from nowhere', [v4('0.0.0.0')]],
    ['from a name of which one address is inside', [publicAddress, v4('192.168.0.1')]],
    ['from a name without an address', []],
  ])('MC-17 %s', async (_, addresses) => {
    const site = await openSite({ [siteHost]: addresses });
    expect(await isAsked(await openOauth(site))).toBe(false);
    expect(site.asked).toEqual([]);
  });

  it('MC-17 from a site that is not what its certificate says', async () => {
    const site = await openSite();
    expect(await isAsked(await openOauth(site), 'https://other.example/client.json')).toBe(false);
    expect(site.asked).toEqual([]);
  });
});

describe('a document is not taken', () => {
  const json = { 'content-type': 'application/json' };
  const documents: [string, Parameters<Awaited<ReturnType<typeof openSite>>['pages']['set']>[1]][] = [
    ['of another client', asJson(() => documentOf('https://other.example/client.json'))],
    ['with a secret', asJson((url) => documentOf(url, { client_secret: 'x' }))],
    ['without addresses', asJson((url) => documentOf(url, { redirect_uris: [] }))],
    [
      'with a script as its address',
      asJson((url) => documentOf(url, { redirect_uris: ['javascript:alert(1)'] })),
    ],
    ['with a link inside', asJson((url) => documentOf(url, { logo_uri: 'http://169.254.169.254/' }))],
    ['that is no JSON', (reply) => reply.writeHead(200, json).end('{')],
    [
      'that is a page',
      (reply, url) =>
        reply.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify(documentOf(url))),
    ],
    [
      'from elsewhere',
      (reply) => reply.writeHead(302, { location: `https://${siteHost}/elsewhere.json` }).end(),
    ],
    ['of more than 5 KiB', asJson((url) => documentOf(url, { client_name: 'x'.repeat(6 * 1024) }))],
    [
      'without an end',
      (reply) => {
        reply.writeHead(200, json);
        const more = () => void (reply.destroyed || reply.write(' '.repeat(16 * 1024), more));
        more();
      },
    ],
    ['that is missing', asJson(() => ({}), 404)],
    ['of a status that there is not', asJson((url) => documentOf(url), 999)],
    [
      'that is cut off',
      (reply) => {
        reply.writeHead(200, { ...json, 'content-length': '1000' });
        reply.write('{', () => reply.destroy());
      },
    ],
  ];

  it('MC-17 whatever it holds, and the server goes on', async () => {
    const site = await openSite();
    const opened = await openOauth(site);
    for (const [at, [name, page]] of documents.entries()) {
      site.pages.set(`/${at}.json`, page);
      const asked = await isAsked(opened, `https://${siteHost}/${at}.json`);
      expect([name, asked]).toEqual([name, false]);
    }
    expect(site.asked).toEqual(documents.map((_, at) => `/${at}.json`));
    expect(await isAsked(opened)).toBe(true);
  });
});
