import { Socket } from 'node:net';
import type { Mode } from '@drawbridge/contracts/groups';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../permission/rules/evaluate.ts';
import { prepareDenials } from '../../../permission/rules/deny.ts';
import type { Resource } from '../../common/tool.ts';
import { pageHostOf, type WebHost } from '../../common/network/host.ts';
import { Refused } from '../../common/egress/refusal.ts';
import { toHostResource } from './host.ts';
import { createHostPolicy } from './host-policy.ts';
import { createOwnServer } from '../../common/network/own-server.ts';

const place = (text: string): WebHost => {
  const found = pageHostOf(text);
  if (!found) throw new Error(`no host: ${text}`);
  return found;
};
const resource = (url: string): Resource => toHostResource(place(url), '');
const rules = (hostPolicy: string[]) =>
  hostPolicy.map((host) => ({ toolGroup: 'browser' as const, resource: host }));

const outside = '93.184.216.34';
const server = { url: 'http://127.0.0.1:5820', addresses: ['127.0.0.1'] };

const called = (url: string) => ({ resources: [resource(url)], caller: undefined });

const [ada, ben] = ['ada', 'ben'].map((id) => ({ id, name: id }));
const [adas, bens] = ['http://p1-abcdef.localhost:5173', 'http://p2-abcdef.localhost:5173'];
/** Ports of processes that run. */
const started = new Map(
  (
    [
      [adas, ada],
      [bens, ben],
    ] as const
  ).map(([url = '', owner]) => [
    place(url).host,
    { owner, isOf: (caller?: { id: string }) => caller?.id === owner?.id, connect: async () => new Socket() },
  ]),
);

/** Real rules over hosts; `tabs` are the addresses that are open. */
const openHosts = (settled: { mode?: Mode; allow?: string[]; deny?: string[]; tabs?: string[] } = {}) => {
  const modes = {
    filesystemRead: 'ask',
    filesystemWrite: 'ask',
    shell: 'ask',
    network: 'ask',
    computer: 'ask',
    browser: settled.mode ?? 'ask',
    mcp: 'ask',
    runtime: 'ask',
    system: 'ask',
  } as const;
  const own = new Set(['127.0.0.1', '::1']);
  const tabs = settled.tabs ?? [];
  const hostPolicy = createHostPolicy({
    access: async (one) =>
      evaluate(
        {
          modes,
          deny: prepareDenials(rules(settled.deny ?? [])),
          allow: rules(settled.allow ?? []),
          root: '/nowhere',
        },
        one,
      ),
    server: createOwnServer({ ...server, own }),
    own,
    ownPorts: new Set([4_321]),
    processes: { find: (host) => started.get(host.host) },
    open: () => tabs.map(place),
  });
  return { ...hostPolicy, tabs };
};

describe('a page in a tab', () => {
  it.each([
    ['no rule or answer', {}, 'https://a.example', 'unasked'],
    ['a rule', { allow: ['a.example'] }, 'https://a.example', null],
    ['a rule for another port', { allow: ['a.example'] }, 'https://a.example:8443', 'unasked'],
    ['the group is on allow', { mode: 'allow' as const }, 'https://a.example', null],
    ['the group is on allow, a local name', { mode: 'allow' as const }, 'http://localhost:3000', 'unasked'],
    ['a rule for the local name', { allow: ['localhost:3000'] }, 'http://localhost:3000', null],
    ['a denial', { mode: 'allow' as const, deny: ['a.example'] }, 'https://a.example:8443', 'denied'],
    ['a page of the host is open', { tabs: ['https://a.example/1'] }, 'https://a.example/2', null],
    ['an address that is never opened', { allow: ['0.0.0.0:1'] }, 'http://0.0.0.0:1', 'never'],
    ['the server', { allow: ['127.0.0.1:5820'] }, 'http://127.0.0.1:5820', 'server'],
  ])('BR-02, BR-05 %s', async (_case, settled, url, refusal) => {
    expect(await openHosts(settled).mayVisit(place(url))).toBe(refusal);
  });

  it('what a call was granted holds while it runs', async () => {
    const hostPolicy = openHosts();
    const during = await hostPolicy.during(called('https://a.example'), () =>
      hostPolicy.mayVisit(place('https://a.example/x')),
    );
    expect([during, await hostPolicy.mayVisit(place('https://a.example/x'))]).toEqual([null, 'unasked']);
  });
});

describe('what a page loads beside itself', () => {
  const local = { allow: ['localhost:3000', 'localhost:4000'] };
  it.each([
    ['from anywhere public', {}, 'https://cdn.example', ['https://a.example'], null],
    ['a denied host', { deny: ['cdn.example'] }, 'https://cdn.example', ['https://a.example'], 'denied'],
    ['the server', local, 'http://127.0.0.1:5820', ['http://localhost:3000'], 'server'],
    ['something local that was not allowed', {}, 'http://localhost:3000', ['http://localhost:4000'], 'local'],
    ['local from local, both allowed', local, 'http://localhost:4000', ['http://localhost:3000'], null],
    [
      'local from outside, allowed all the same',
      local,
      'http://localhost:3000',
      ['https://a.example'],
      'local',
    ],
    [
      'local while a page from outside is open',
      local,
      'http://localhost:3000',
      ['http://localhost:4000', 'https://a.example'],
      'local',
    ],
  ])('BR-02 %s', async (_case, settled, url, from, refusal) => {
    expect(await openHosts(settled).mayLoad(place(url), from.map(place))).toBe(refusal);
  });
});

describe('what is connected', () => {
  it.each([
    ['a public address', {}, 'https://a.example', [outside], null],
    ['a public name that leads home (SS-05)', {}, 'https://a.example', ['127.0.0.1'], 'local'],
    [
      'the same where the group is on allow',
      { mode: 'allow' as const },
      'https://a.example',
      ['10.0.0.1'],
      'local',
    ],
    [
      'the same where exactly this host is allowed',
      { allow: ['a.example'] },
      'https://a.example',
      ['10.0.0.1'],
      null,
    ],
    ['one public and one private answer (SS-05)', {}, 'https://a.example', [outside, '10.0.0.1'], 'local'],
    [
      'metadata, whatever is allowed',
      { allow: ['a.example'] },
      'https://a.example',
      ['169.254.169.254'],
      'never',
    ],
    [
      'one of many that is never opened',
      { allow: ['a.example'] },
      'https://a.example',
      [outside, '0.0.0.0'],
      'never',
    ],
    ['a name without addresses', {}, 'https://a.example', [], 'never'],
    [
      'another name of the server',
      { allow: ['a.example:5820'] },
      'http://a.example:5820',
      ['127.0.0.1'],
      'server',
    ],
    [
      'a port on which this program listens (SH-53)',
      { allow: ['localhost:4321'] },
      'http://localhost:4321',
      ['127.0.0.1'],
      'server',
    ],
    ['a denied host, public as it is', { deny: ['a.example'] }, 'https://a.example', [outside], 'denied'],
  ])('SS-05, SS-03 %s', async (_case, settled, url, addresses, refusal) => {
    expect(await openHosts(settled).mayConnect(place(url), addresses)).toBe(refusal);
  });

  it('a yes to one question holds while the call runs and while a page of the host is open', async () => {
    const hostPolicy = openHosts();
    const connect = () => hostPolicy.mayConnect(place('http://nas.example:5000'), ['192.168.1.2']);
    const during = await hostPolicy.during(called('http://nas.example:5000'), connect);
    hostPolicy.tabs.push('http://nas.example:5000/start');
    const open = await connect();
    hostPolicy.tabs.length = 0;
    const gone = await connect();
    hostPolicy.tabs.push('http://nas.example:5000/start');
    expect([during, open, gone, await connect()]).toEqual([null, null, 'local', 'local']);
  });

  it('what the group allows was not asked about', async () => {
    const hostPolicy = openHosts({ mode: 'allow' });
    const connect = () => hostPolicy.mayConnect(place('http://nas.example:5000'), ['192.168.1.2']);
    expect(await hostPolicy.during(called('http://nas.example:5000'), connect)).toBe('local');
  });
});

it('RC-07 a host for one caller loads in their calls alone, and one denied to them not between calls', async () => {
  const allowed: (string | undefined)[] = [];
  const hostPolicy = createHostPolicy({
    access: async (_resource, caller) => {
      allowed.push(caller?.id);
      return caller?.id === 'ada' ? 'allow' : caller === undefined ? 'deny' : 'ask';
    },
    server: createOwnServer({ ...server, own: new Set() }),
    own: new Set(),
    ownPorts: new Set(),
    processes: { find: () => undefined },
    open: () => [],
  });
  const visit = () => hostPolicy.mayVisit(place('https://a.example'));
  expect(await hostPolicy.during({ resources: [], caller: ada }, visit)).toBe(null);
  expect(await hostPolicy.during({ resources: [], caller: ben }, visit)).toBe('unasked');
  expect(await visit()).toBe('denied');
  expect(new Set(allowed)).toEqual(new Set(['ada', 'ben', undefined]));
});

describe('SH-73 a port of a process', () => {
  const other = 'http://p1-abcdef.localhost:9999';
  it.each([
    ['in a call of who started it', adas, { caller: ada }, null],
    ['in a call of another caller', adas, { caller: ben }, 'process'],
    ['outside of a call', adas, {}, 'process'],
    ['while a page of the same caller is open', adas, { tabs: [adas] }, null],
    ['while a page of another caller is open', adas, { tabs: [bens] }, 'process'],
    ['that it was not started with', other, { caller: ada }, 'process'],
    ['of a process that is not there', 'http://p9-abcdef.localhost:5173', { caller: ada }, 'process'],
    ['that a deny rule names', adas, { caller: ada, deny: ['p1-abcdef.localhost:5173'] }, 'denied'],
    ['with a rule that allows it', adas, { caller: ben, allow: ['p1-abcdef.localhost:5173'] }, 'process'],
  ])(
    '%s',
    async (
      _case,
      url = '',
      { caller, tabs, ...rules }: { caller?: typeof ada; tabs?: (string | undefined)[] },
      refusal,
    ) => {
      const hostPolicy = openHosts({ ...rules, tabs: (tabs ?? []).map(String) });
      const at = place(url);
      const look = async () => [
        await hostPolicy.mayVisit(at),
        await hostPolicy.mayLoad(at, []),
        await hostPolicy.into(at).then(
          () => null,
          (error: unknown) => (error instanceof Refused ? error.reason : error),
        ),
      ];
      const found =
        caller === undefined ? await look() : await hostPolicy.during({ resources: [], caller }, look);
      expect(found).toEqual([refusal, refusal, refusal]);
    },
  );

  it('SH-74 is loaded by no page from outside, and other places are found by their addresses', async () => {
    const hostPolicy = openHosts({ tabs: [String(adas)] });
    expect(await hostPolicy.mayLoad(place(String(adas)), [place('https://a.example')])).toBe('local');
    expect(await hostPolicy.into(place('http://localhost:5173'))).toBe(undefined);
    expect(await hostPolicy.mayLoad(place('http://localhost:5173'), [place(String(adas))])).toBe('local');
  });
});
