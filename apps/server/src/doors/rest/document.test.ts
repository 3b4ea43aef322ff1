import type { Call } from '@drawbridge/contracts/calls';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import { connectDaemon, requestOf } from '../../../test/daemon.ts';
import { paired } from '../../../test/paired.ts';
import { newRestClient } from '../../../test/rest.ts';
import type { Got } from '../../../test/server.ts';

interface Operation {
  operationId: string;
  security?: unknown;
  responses: Record<string, { content?: Record<string, { schema: unknown }> }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
}

/** Compares answers with the document: null, or what does not fit. */
const createCheck = (document: Document) => {
  // The document's own words (`paths`, `info`) are no words of JSON Schema.
  const ajv = new Ajv2020({ strict: false, validateFormats: true, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat('base64', true);
  ajv.addSchema(document as AnySchema, 'document');
  const pointer = (...steps: string[]) =>
    steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return (path: string, method: string, got: Got): unknown => {
    const status = String(got.status);
    const described = document.paths[path]?.[method]?.responses[status]?.content?.['application/json'];
    if (!described) return `${method} ${path} does not describe ${status}: ${got.text}`;
    const at = pointer('paths', path, method, 'responses', status, 'content', 'application/json', 'schema');
    const validate = ajv.getSchema(`document#${encodeURI(at)}`);
    if (!validate) return `No schema at ${at}`;
    return validate(got.json) ? null : validate.errors;
  };
};

it('is public, the same for all, and valid OpenAPI 3.1', async () => {
  const { server, cookie } = await paired();
  const got = await server.send('/api/v1/openapi.json');
  expect([got.status, got.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  const script = await newRestClient(server, cookie);
  expect((await script.send('/openapi.json')).text).toBe(got.text);
  const validated = await new Validator().validate(JSON.parse(got.text));
  expect(validated).toEqual({ valid: true });
  const document = got.json as Document;
  expect(document).toMatchObject({
    openapi: '3.1.0',
    servers: [{ url: `${server.url}/api/v1` }],
    security: [{ bearer: [] }],
  });
});

it('describes each answer as it is', async () => {
  const { server, cookie, token } = await paired();
  const document = (await server.send('/api/v1/openapi.json')).json as Document;
  const check = createCheck(document);
  const script = await newRestClient(server, cookie);
  const offline = await script.run('read_file');
  const daemon = await connectDaemon(server, token);
  const answered = new Set<string>();
  const expectFits = (path: string, method: string, got: Got, status: number) => {
    answered.add(`${method} ${path} ${got.status}`);
    expect([path, method, got.status, check(path, method, got)]).toEqual([path, method, status, null]);
    return got;
  };

  expectFits('/calls', 'post', offline, 503);
  const going = await script.run('read_file', {}, { prefer: 'respond-async' });
  expectFits('/calls', 'post', going, 202);
  const { requestId } = going.json as Call;
  expectFits('/calls/{requestId}', 'get', await script.send(`/calls/${requestId}`), 200);
  const running = script.run('read_file');
  const contents = [
    { type: 'text', text: 'hello' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'file:///a.txt', text: 'a' } },
    { type: 'resource_link', uri: 'file:///a.txt', name: 'a' },
  ];
  await daemon.stream.next();
  const { requestId: answeredId } = requestOf(await daemon.stream.next());
  await daemon.respond(answeredId, { result: { content: contents, structuredContent: { a: 1 } } });
  expectFits('/calls', 'post', await running, 200);
  expectFits('/calls', 'post', await script.run('write_file'), 404);
  expectFits('/calls', 'post', await script.send('/calls', { method: 'POST', body: {} }), 400);
  expectFits('/calls', 'get', await script.send('/calls'), 200);
  expectFits('/calls', 'get', await script.send('/calls?limit=0'), 400);
  expectFits('/calls/{requestId}', 'get', await script.send('/calls/unknown'), 404);
  const stopped = await script.send(`/calls/${requestId}/cancel`, { method: 'POST' });
  expectFits('/calls/{requestId}/cancel', 'post', stopped, 200);
  const unknown = await script.send('/calls/unknown/cancel', { method: 'POST' });
  expectFits('/calls/{requestId}/cancel', 'post', unknown, 404);
  expectFits('/machines', 'get', await script.send('/machines'), 200);
  expectFits('/status', 'get', await script.send('/status'), 200);
  expectFits('/status', 'get', await script.send('/status?machine=unknown'), 404);
  expectFits('/tools', 'get', await script.send('/tools'), 200);

  const ways = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method })),
  );
  for (const { path, method } of ways) {
    const url = `/api/v1${path.replace('{requestId}', requestId)}`;
    expectFits(path, method, await server.send(url, { method: method.toUpperCase() }), 401);
  }
  // Each good answer of the document was seen; a stream is no JSON.
  const good = ways.flatMap(({ path, method }) =>
    Object.entries(document.paths[path]?.[method]?.responses ?? {})
      .filter(([status, { content }]) => status.startsWith('2') && content?.['application/json'])
      .map(([status]) => `${method} ${path} ${status}`),
  );
  expect(good.filter((one) => !answered.has(one))).toEqual([]);
  expect(ways.length).toBe(8);
});

it('names the operations of the server and no others', async () => {
  const { server } = await paired();
  const { paths } = (await server.send('/api/v1/openapi.json')).json as Document;
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} /api/v1${path.replace(/\{(\w+)\}/g, ':$1')}`,
    ),
  );
  const own = server.app
    .routes()
    .filter(({ url }) => url.startsWith('/api/v1/') && !url.startsWith('/api/v1/instance-ai/'));
  const served: string[] = [];
  for (const { method, url } of own)
    if ((await server.send(url, { method })).status !== 405) served.push(`${method} ${url}`);
  expect([...described, 'GET /api/v1/openapi.json'].toSorted()).toEqual(served.toSorted());
});

it('refuses other methods of its addresses, with and without a token', async () => {
  const { server, cookie } = await paired();
  const { paths } = (await server.send('/api/v1/openapi.json')).json as Document;
  const { token } = await newRestClient(server, cookie);
  const proofs: Record<string, string>[] = [{}, { authorization: `Bearer ${token}` }];
  const addresses = [
    ...Object.entries(paths).map(([path, methods]) => ({
      path,
      own: Object.keys(methods).map((one) => one.toUpperCase()),
    })),
    { path: '/openapi.json', own: ['GET'] },
  ];
  const methods = ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'QUERY', 'TRACE'];
  for (const { path, own } of addresses) {
    for (const method of methods.filter((one) => !own.includes(one))) {
      for (const headers of proofs) {
        const {
          status,
          headers: responseHeaders,
          json,
        } = await server.send(`/api/v1${path}`, { method, headers });
        const allow = responseHeaders.allow?.split(', ').toSorted();
        expect([method, path, status, allow]).toEqual([method, path, 405, own.toSorted()]);
        if (method !== 'HEAD') expect(json).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
      }
    }
  }
  expect(addresses).toHaveLength(8);
});
