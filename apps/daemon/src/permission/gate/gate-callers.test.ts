import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import type { Mode } from '@drawbridge/contracts/groups';
import { describe, expect, it } from 'vitest';
import { openGate, read, ruleOf, write } from '../../../test/support/gate-fixture.ts';
import type { Resource } from '../rules/resource.ts';
import type { Rule } from '../rules/rule.ts';
import { heldRules, showRule } from '../settings/rule-list.ts';

const ada = { id: 'token:ada', name: 'Claude Code on laptop' };
const bob = { id: 'token:bob', name: 'nightly-script' };
const panel = { id: 'user', name: '' };
const chat = { id: 'thread:t1', name: 'Blog' };
const otherChat = { id: 'thread:t2', name: 'Taxes' };
const unknown = undefined;

const inDocs = (name: string): Resource => ({ ...write(`/w/docs/${name}`), folder: '/w/docs/' });
const ofAda = { ...ruleOf(write('/w/a')), caller: ada };

const openWith = async (rules: { allow?: Rule[]; deny?: Rule[] }, mode: Mode = 'ask') => {
  const world = await openGate({ modes: { filesystemWrite: mode } });
  await world.settings.addRules('allow', rules.allow ?? []);
  await world.settings.addRules('deny', rules.deny ?? []);
  let count = 0;
  return {
    ...world,
    kindFor: async (caller: RequestCaller | undefined) => {
      const requestId = `call-${++count}`;
      return (await world.send(undefined, { requestId, ...(caller && { caller }) })).kind;
    },
  };
};

/** Callers that may be anybody. */
const unclear: [string, RequestCaller | undefined][] = [
  ['the id in capitals', { id: 'TOKEN:ADA', name: ada.name }],
  ['the id without a kind', { id: 'ada', name: ada.name }],
  ['a kind without an id', { id: 'token:', name: ada.name }],
  ['a kind that no rule knows', { id: 'robot:ada', name: ada.name }],
  ['a kind of the prototype', { id: 'constructor:ada', name: ada.name }],
  ['nothing', unknown],
];
/** What a server may say in place of the caller of a rule. */
const others: [string, RequestCaller | undefined][] = [
  ...unclear,
  ['another token', bob],
  ['another token with the same name', { ...bob, name: ada.name }],
  ['an id that begins with the one of the rule', { id: 'token:ada2', name: ada.name }],
  ['the same id of another kind', { id: 'client:ada', name: ada.name }],
  ['the panel', panel],
  ['a chat', chat],
];

describe('a rule for one caller', () => {
  it('is offered beside the one for all, in words, with what it covers', async () => {
    const world = await openGate();
    world.resources = [inDocs('a')];
    const reaches = (await world.asked({ caller: ada })).reaches ?? [];
    const words = '"Claude Code on laptop" (access token)';
    expect(reaches.map(({ id, label, caller }) => [id, label, caller])).toEqual([
      ['exact', 'change or delete /w/docs/a', undefined],
      ['exact-15-minutes', 'change or delete /w/docs/a', undefined],
      ['folder', 'change or delete files in /w/docs and below', undefined],
      ['folder-15-minutes', 'change or delete files in /w/docs and below', undefined],
      ['exact-caller', `change or delete /w/docs/a, only for ${words}`, words],
      ['exact-caller-15-minutes', `change or delete /w/docs/a, only for ${words}`, words],
      ['folder-caller', `change or delete files in /w/docs and below, only for ${words}`, words],
      ['folder-caller-15-minutes', `change or delete files in /w/docs and below, only for ${words}`, words],
    ]);
    // No two of them are one rule.
    expect(new Set(reaches.map(({ covers }) => covers?.join())).size).toBe(4);
  });

  it.each<[string, string | undefined, RequestCaller | undefined]>([
    ['of the panel', 'the panel', panel],
    ['of the built-in agent', 'the built-in agent', chat],
    ['of a client', '"Notes" (connected client)', { id: 'client:n', name: 'Notes' }],
    [
      'of a Tailscale user',
      '"ann@example.org" (Tailscale user)',
      { id: 'tailnet:a', name: 'ann@example.org' },
    ],
    ['that the server does not say', undefined, unknown],
  ])('for a call %s', async (_name, words, caller) => {
    const world = await openGate();
    const { reaches = [] } = await world.asked(caller && { caller });
    expect(reaches.find(({ caller: one }) => one !== undefined)?.caller).toBe(words);
  });

  it('is kept with who it is for, listed so, and removed alone', async () => {
    const world = await openGate();
    await world.asked({ caller: ada });
    expect((await world.send('alwaysAllow', { caller: ada }, 'exact-caller')).kind).toBe('run');
    expect(world.rules()).toEqual({ allow: [ofAda], deny: [] });
    await world.settings.addRules('allow', [
      ruleOf(write('/w/a')),
      { ...ruleOf(write('/w/a')), caller: bob },
    ]);
    const shown = heldRules(world.settings).map((held) => showRule(held, world.use));
    expect(shown.map(({ label, caller }) => [label, caller])).toEqual([
      [
        'change or delete /w/a, only for "Claude Code on laptop" (access token)',
        '"Claude Code on laptop" (access token)',
      ],
      ['change or delete /w/a', undefined],
      ['change or delete /w/a, only for "nightly-script" (access token)', '"nightly-script" (access token)'],
    ]);
    expect(new Set(shown.map(({ id }) => id)).size).toBe(3);
    const [first] = world.settings.rules().allow;
    await world.settings.removeRule('allow', first ?? ofAda);
    expect(world.rules().allow.map(({ caller }) => caller?.id)).toEqual([undefined, 'token:bob']);
  });

  it('answers later calls of that caller, also for the session', async () => {
    const world = await openGate();
    await world.asked({ caller: ada });
    await world.send('allowForSession', { caller: ada }, 'exact-caller-15-minutes');
    expect((await world.send(undefined, { requestId: 'r2', caller: ada })).kind).toBe('run');
    expect((await world.send(undefined, { requestId: 'r3', caller: bob })).kind).toBe('ask');
  });

  it('of the built-in agent is one for all of its chats', async () => {
    const { kindFor } = await openWith({ allow: [{ ...ofAda, caller: { id: 'chat', name: '' } }] });
    expect([await kindFor(chat), await kindFor(otherChat), await kindFor(panel)]).toEqual([
      'run',
      'run',
      'ask',
    ]);
  });

  it('holds for its caller under another name', async () => {
    const { kindFor } = await openWith({ allow: [ofAda] });
    expect(await kindFor({ ...ada, name: 'renamed' })).toBe('run');
  });
});

describe('RC-01 an allow rule for one caller does not allow', () => {
  it.each(others)('%s', async (_name, caller) => {
    const { kindFor } = await openWith({ allow: [ofAda] });
    expect(await kindFor(caller)).toBe('ask');
    expect(await kindFor(ada)).toBe('run');
  });
});

describe('RC-02 a deny rule for one caller', () => {
  it.each(others)('is not a way to more than without it: %s', async (name, caller) => {
    const isUnknown = unclear.some(([one]) => one === name);
    for (const [mode, otherwise] of [['allow', 'run'] as const, ['ask', 'ask'] as const]) {
      const { kindFor } = await openWith({ deny: [ofAda] }, mode);
      // Who is not known may be the one whom the rule is for.
      expect(await kindFor(caller)).toBe(isUnknown ? 'denied' : otherwise);
      expect(await kindFor(ada)).toBe('denied');
    }
  });

  it('does not hide one for all behind it, nor that of another caller', async () => {
    const rm = (text: string, caller?: typeof ada): Rule => ({
      toolGroup: 'shell',
      resource: text,
      ...(caller && { caller }),
    });
    const world = await openGate({ modes: { shell: 'allow' } });
    await world.settings.addRules('deny', [rm('rm', ada), rm('rm -rf'), rm('rm', bob)]);
    const command = async (text: string, caller: RequestCaller) => {
      world.resources = [{ toolGroup: 'shell', resource: `"/w" $ ${text}`, description: text }];
      return (await world.send(undefined, { requestId: `${text} ${caller.id}`, group: 'shell', caller }))
        .kind;
    };
    expect(await command('rm x', panel)).toBe('run');
    expect(await command('rm -rf x', panel)).toBe('denied');
    expect(await command('rm x', bob)).toBe('denied');
    expect(await command('rm x', ada)).toBe('denied');
  });

  it('closes paths for its caller, and for one who is not known', async () => {
    const deny = [{ ...ruleOf(read('/w/secret')), caller: ada }];
    const { gate } = await openWith({ deny });
    const closed = { read: ['/w/secret'], write: ['/w/secret'] };
    expect(gate.deniedPaths(ada)).toEqual(closed);
    expect(gate.deniedPaths(unknown)).toEqual(closed);
    expect(gate.deniedPaths(bob)).toEqual({ read: [], write: [] });
    expect((await gate.reader(ada)).mode('/w/secret')).toBe('deny');
    expect((await gate.reader(unknown)).isDenied('/w/secret')).toBe(true);
    expect((await gate.reader(bob)).isDenied('/w/secret')).toBe(false);
    expect(await gate.access(read('/w/secret'), ada)).toBe('deny');
    expect(await gate.access(read('/w/secret'))).toBe('deny');
  });
});

describe('RC-03 an answer to one caller does not fit a call of another', () => {
  it.each(others)('%s', async (_name, caller) => {
    const world = await openGate();
    await world.asked({ caller: ada });
    const over = caller && { caller };
    expect((await world.send('alwaysAllow', over, 'exact-caller')).kind).not.toBe('run');
    expect((await world.send('alwaysAllow', { ...over, requestId: 'r2' }, 'exact-caller')).kind).toBe('ask');
    expect(world.rules()).toEqual({ allow: [], deny: [] });
  });

  it('a repeat by another caller is another question', async () => {
    const world = await openGate();
    const first = await world.asked({ caller: ada });
    expect((await world.asked({ caller: ada })).askId).toBe(first.askId);
    expect((await world.asked({ caller: bob })).askId).not.toBe(first.askId);
  });
});

it('RC-04 a rule for one caller settles no open question of another', async () => {
  const world = await openGate();
  await world.asked({ requestId: 'of-ada', caller: ada });
  await world.asked({ requestId: 'of-bob', caller: bob });
  await world.asked({ requestId: 'unknown' });
  await world.settings.addRules('allow', [ofAda]);
  expect((await world.gate.settle()).elsewhere.map(({ requestId }) => requestId)).toEqual(['of-ada']);
  await world.settings.addRules('deny', [{ ...ofAda, caller: bob }]);
  expect((await world.gate.settle()).elsewhere.map(({ requestId, outcome }) => [requestId, outcome])).toEqual(
    [
      ['of-ada', 'allowed'],
      ['of-bob', 'denied'],
      ['unknown', 'denied'],
    ],
  );
});

it('RC-05 whatever is said of the caller, no more is allowed than by the same rule for all', async () => {
  const order = ['denied', 'ask', 'run'];
  const said = [ada, ...others.map(([, caller]) => caller)];
  const all = ruleOf(write('/w/a'));
  for (const mode of ['allow', 'ask'] as const) {
    const [none, one, forAll] = [
      await openWith({}, mode),
      await openWith({ allow: [ofAda] }, mode),
      await openWith({ allow: [all] }, mode),
    ];
    const denied = await openWith({ deny: [ofAda] }, mode);
    for (const caller of said) {
      const rank = async (world: typeof none) => order.indexOf(await world.kindFor(caller));
      expect(await rank(one)).toBeLessThanOrEqual(await rank(forAll));
      expect(await rank(denied)).toBeLessThanOrEqual(await rank(none));
    }
  }
});

it.each<[string, string]>([
  ['x" (access token), and everybody', String.raw`"x\" (access token), and everybody" (connected client)`],
  ['the panel', '"the panel" (connected client)'],
  ['a\nb', String.raw`"a\nb" (connected client)`],
  ['x'.repeat(300), `"${'x'.repeat(100)}…" (connected client)`],
])('RC-06 a name does not pass for another caller: %j', async (name, words) => {
  const world = await openGate();
  const { reaches = [] } = await world.asked({ caller: { id: 'client:c', name } });
  expect(reaches.at(-1)?.caller).toBe(words);
  expect(reaches.at(-1)?.label).toBe(`change or delete /w/a, only for ${words}`);
});
