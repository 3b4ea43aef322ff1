import { expect, it } from 'vitest';
import { forbidden, json, pairingToken } from '../../test/support/gateway-server.ts';
import { startLink } from '../../test/support/link-fixture.ts';

/** A link that is connected, and what the server was told of its tools. */
const connected = async () => {
  const started = await startLink();
  await started.connected();
  const lists = () =>
    started.server.seen
      .filter(({ path }) => path === '/init' || path === '/tools')
      // The bodies are those that the link has made.
      .map(({ path, body }) => `${path} ${(body as { tools: string[] }).tools.join(' ')}`.trim());
  const told = (...expected: string[]) => started.until(() => expect(lists()).toEqual(expected));
  const change = (...names: string[]) => {
    started.offered.splice(0, Infinity, ...names);
    started.link.toolsChanged();
  };
  return { ...started, lists, told, change };
};

it('tells the server of changes of one moment once, under the same key', async () => {
  const { clock, told, change, reported, routes, reports } = await connected();
  change('one');
  change('one', 'two');
  await clock.settle(199);
  await told('/init');
  await clock.settle(1);
  await told('/init', '/tools one two');
  await reported('connected', 'tools');
  expect([routes().at(-1), reports.at(-1)]).toEqual(['POST /tools sess', { type: 'tools', warnings: [] }]);
});

it('tells of a change that comes while an earlier one is on its way', async () => {
  const { clock, server, told, change, until, reported } = await connected();
  const answers: (() => void)[] = [];
  server.answer('tools', (request, response) => {
    answers.push(() => json(200, { ok: true })(request, response));
  });
  change('one');
  await clock.settle(200);
  await until(() => expect(answers.length).toBe(1));
  change('two');
  await clock.settle(5_000);
  await told('/init', '/tools one');
  answers[0]?.();
  await reported('connected', 'tools');
  await clock.settle(200);
  await told('/init', '/tools one', '/tools two');
  answers[1]?.();
});

it('passes on what the server left out', async () => {
  const { clock, server, change, reported, reports } = await connected();
  server.answer('tools', json(200, { ok: true, warnings: ['Tool "a b" was skipped'] }));
  change('a b');
  await clock.settle(200);
  await reported('connected', 'tools');
  expect(reports.at(-1)).toEqual({ type: 'tools', warnings: ['Tool "a b" was skipped'] });
});

it('makes a new init where the server does not know the post', async () => {
  const { clock, server, told, change, reported, routes } = await connected();
  server.answer('tools', json(404, { code: 'NOT_FOUND', message: 'Not found' }));
  change('one');
  await clock.settle(200);
  await told('/init', '/tools one', '/init one');
  await reported('connected', 'connected');
  expect(routes().slice(-2)).toEqual(['POST /init sess', 'GET /events sess']);
});

it.each([
  ['500', json(500, { code: 'INTERNAL', message: 'Something went wrong' })],
  ['503', json(503, { code: 'STORE_UNAVAILABLE', message: 'No room' })],
  ['429', json(429, { code: 'TOO_MANY_REQUESTS', message: 'Wait' })],
])('tries again after a %s', async (_name, answer) => {
  const { clock, server, told, change, until, reported } = await connected();
  server.answer('tools', answer, json(200, { ok: true }));
  change('one');
  await clock.settle(200);
  await told('/init', '/tools one');
  await until(() => expect(clock.waiting()).toBeGreaterThan(1));
  await clock.settle(1_000);
  await told('/init', '/tools one', '/tools one');
  await reported('connected', 'tools');
  const revisions = server.seen.filter(({ path }) => path === '/tools').map(({ body }) => body);
  expect(revisions).toMatchObject([{ revision: 1 }, { revision: 2 }]);
});

it.each([
  ['409, of a daemon that took the machine over', json(409, { code: 'REPLACED', message: 'Another' })],
  ['403', forbidden],
])('does not try again after a %s', async (_name, answer) => {
  const { clock, server, lists, told, change } = await connected();
  server.answer('tools', answer);
  change('one');
  await clock.settle(200);
  await told('/init', '/tools one');
  await clock.settle(40_000);
  expect(lists()).toEqual(['/init', '/tools one']);
});

it('leaves a change to the next init while disconnected', async () => {
  const { link, clock, offered, reported, server } = await startLink();
  offered.push('one');
  link.toolsChanged();
  await clock.settle(1_000);
  link.giveKey(pairingToken);
  await reported('connected');
  await clock.settle(1_000);
  const posts = server.seen.filter(({ method }) => method === 'POST');
  expect(posts.map(({ path, body }) => [path, body])).toEqual([
    ['/init', { rootPath: '/w', tools: ['one'] }],
  ]);
});
