import { readFileSync, writeFileSync } from 'node:fs';
import type { RulesBody, ShownRule } from '@drawbridge/contracts/rule-list';
import type { NewRule, RulesQuery } from '@drawbridge/contracts/rules';
import { describe, expect, it } from 'vitest';
import { openGate, ruleOf, write } from '../../../test/support/gate-fixture.ts';
import type { Modes } from '../rules/modes.ts';
import { answerRulesQuery } from './remote-rules.ts';

const start = '2026-01-01T00:00:00.000Z';

const open = async (settings: { remoteRules?: boolean; modes?: Partial<Modes> } = {}) => {
  const world = await openGate({ modes: settings.modes ?? {} });
  const said: string[] = [];
  if (settings.remoteRules === true)
    writeFileSync(world.file, '{"version":1,"remoteRules":true}', { mode: 0o600 });
  const rules = (query: RulesQuery) =>
    answerRulesQuery({ ...world, notify: (sentence) => void said.push(sentence) }, query);
  const listed = async (): Promise<ShownRule[]> => {
    const body = await rules({ type: 'list' });
    return 'rules' in body ? body.rules : [];
  };
  const named = async (label: string) => (await listed()).find((rule) => rule.label === label)?.id ?? 'none';
  return { ...world, rules, said, listed, named };
};
const refused = (reason: string, message: unknown = expect.any(String)) => ({ refused: reason, message });

describe('the rules for the panel', () => {
  it('are all that hold, in words, with their times', async () => {
    const { settings, session, rules, clock, use } = await open();
    await settings.addRules('allow', [
      { toolGroup: 'filesystemWrite', resource: '/w/docs/', reach: 'folder' },
    ]);
    await settings.addRules('deny', [{ toolGroup: 'shell', resource: '"/w" $ rm -r x' }]);
    session.allow([ruleOf(write('/w/a'))], 900_000);
    session.allow([ruleOf(write('/w/b'))]);
    clock.advance(60_000);
    use.note([ruleOf(write('/w/b'))]);
    const permanent = { lasts: 'always', endsAt: null, madeAt: start, usedAt: null };
    const passing = { effect: 'allow', toolGroup: 'filesystemWrite', lasts: 'session', madeAt: start };
    const digest = expect.stringMatching(/^[0-9a-f]{32}$/);
    const named = { id: digest, covers: digest };
    expect(await rules({ type: 'list' })).toEqual({
      rules: [
        { ...named, effect: 'deny', toolGroup: 'shell', label: 'run in /w: rm -r x', ...permanent },
        {
          ...named,
          effect: 'allow',
          toolGroup: 'filesystemWrite',
          label: 'change or delete files in /w/docs and below',
          ...permanent,
        },
        {
          ...named,
          label: 'change or delete /w/a',
          ...passing,
          endsAt: '2026-01-01T00:15:00.000Z',
          usedAt: null,
        },
        {
          ...named,
          label: 'change or delete /w/b',
          ...passing,
          endsAt: null,
          usedAt: '2026-01-01T00:01:00.000Z',
        },
      ],
      total: 4,
      remoteRules: false,
    });
  });

  it('are at most 300, with their number, and a long one is cut', async () => {
    const { settings, rules } = await open();
    const many = Array.from({ length: 301 }, (_, at) => ruleOf(write(`/w/${at}-${'x'.repeat(5_000)}`)));
    await settings.addRules('allow', many);
    const body = await rules({ type: 'list' });
    if (!('rules' in body)) throw new Error(body.message);
    expect([body.rules.length, body.total, body.rules[0]?.label.length]).toEqual([300, 301, 2_019]);
  });

  it.each(['for good', 'for the session'])(
    'an allowance %s can be removed, and the person at the machine reads it',
    async (what) => {
      const { settings, session, rules, named, said, send } = await open();
      if (what === 'for good') await settings.addRules('allow', [ruleOf(write('/w/a'))]);
      else session.allow([ruleOf(write('/w/a'))]);
      expect((await send()).kind).toBe('run');
      expect(await rules({ type: 'remove', ruleId: await named('change or delete /w/a') })).toEqual({
        rules: [],
        total: 0,
        remoteRules: false,
      });
      expect((await send()).kind).toBe('ask');
      expect(said).toEqual(['the panel removed: allow change or delete /w/a']);
    },
  );

  it('a rule that is gone is not removed twice', async () => {
    const { session, rules, named, said } = await open();
    session.allow([ruleOf(write('/w/a'))]);
    const ruleId = await named('change or delete /w/a');
    await rules({ type: 'remove', ruleId });
    expect(await rules({ type: 'remove', ruleId })).toEqual(refused('unknown'));
    expect(said).toHaveLength(1);
  });
});

describe('nothing is widened from elsewhere', () => {
  const allowed: NewRule = { effect: 'allow', toolGroup: 'filesystemWrite', resource: '/w/a' };

  it('a denial stays, and no rule is added', async () => {
    const { settings, rules, named, said, file } = await open();
    await settings.addRules('deny', [ruleOf(write('/w/a'))]);
    const before = readFileSync(file, 'utf8');
    const not: RulesBody = refused('not-permitted') as RulesBody;
    expect(await rules({ type: 'remove', ruleId: await named('change or delete /w/a') })).toEqual(not);
    expect(await rules({ type: 'add', rule: allowed })).toEqual(not);
    expect(await rules({ type: 'add', rule: { ...allowed, effect: 'deny' } })).toEqual(not);
    expect([readFileSync(file, 'utf8'), said]).toEqual([before, []]);
  });

  it('SH-63 no host, and no mode of network', async () => {
    const { settings, rules, said } = await open({ modes: { network: 'deny' } });
    const rule: NewRule = { effect: 'allow', toolGroup: 'network', resource: 'good.test < "/w" $ npm ci' };
    expect(await rules({ type: 'add', rule })).toEqual(refused('not-permitted'));
    expect([settings.rules().allow, said]).toEqual([[], []]);
  });

  it('unless the settings file says so', async () => {
    const { rules, said, named, rules: ask } = await open({ remoteRules: true });
    expect(await rules({ type: 'add', rule: allowed })).toMatchObject({ total: 1, remoteRules: true });
    expect(
      await rules({ type: 'add', rule: { ...allowed, effect: 'deny', resource: '/w/b' } }),
    ).toMatchObject({ total: 2 });
    expect(await ask({ type: 'remove', ruleId: await named('change or delete /w/b') })).toMatchObject({
      total: 1,
    });
    expect(said).toEqual([
      'the panel added: allow change or delete /w/a',
      'the panel added: deny change or delete /w/b',
      'the panel removed: deny change or delete /w/b',
    ]);
  });

  it.each<[string, Partial<NewRule>]>([
    ['a group that is unknown', { toolGroup: 'everything' }],
    ['a reach that is unknown', { reach: 'prefix' }],
    ['a path with a way out', { resource: '/w/../etc' }],
    ['a path from nowhere', { resource: 'a.txt' }],
    ['a path that is no folder', { resource: '/w/a', reach: 'folder' }],
    ['SS-15 a public suffix', { toolGroup: 'browser', resource: 'co.uk', reach: 'subdomains' }],
    ['BR-04 an address for a host', { toolGroup: 'browser', resource: 'https://good.com@evil.com' }],
    ['BR-04 a host in upper case', { toolGroup: 'browser', resource: 'GOOD.com' }],
    ['a command without its folder', { toolGroup: 'shell', resource: 'ls' }],
    ['an MCP tool by its name alone', { toolGroup: 'mcp', resource: 'files/read' }],
  ])('%s is no rule', async (_name, over) => {
    const { rules, said } = await open({ remoteRules: true });
    expect(await rules({ type: 'add', rule: { ...allowed, ...over } })).toEqual(refused('not-a-rule'));
    expect(said).toEqual([]);
  });

  it('settings that cannot be used change nothing, and their place stays here', async () => {
    const { rules, file } = await open();
    writeFileSync(file, '{"version":');
    expect(await rules({ type: 'list' })).toEqual(
      refused('failed', 'The settings on this machine cannot be used'),
    );
  });
});

describe('the panel tightens modes, and loosens none', () => {
  it('ask, then off; each is saved', async () => {
    const { rules, settings, said } = await open();
    expect(settings.modes().filesystemRead).toBe('allow');
    for (const mode of ['ask', 'deny'] as const) {
      expect(await rules({ type: 'tighten', toolGroup: 'filesystemRead', mode })).toMatchObject({ total: 0 });
      expect(settings.savedModes().filesystemRead).toBe(mode);
    }
    expect(said).toEqual(['the panel set: read files to ask', 'the panel set: read files to deny']);
  });

  it.each(['ask', 'deny'] as const)('%s is refused where the group is off', async (mode) => {
    const { rules, settings } = await open({ remoteRules: true });
    const before = settings.savedModes();
    expect(await rules({ type: 'tighten', toolGroup: 'shell', mode })).toEqual(refused('not-permitted'));
    expect(settings.savedModes()).toEqual(before);
  });

  it('a session that permits more than the file follows, and the file permits no more than before', async () => {
    const { rules, settings, session } = await open({ modes: { shell: 'allow' } });
    expect(await rules({ type: 'tighten', toolGroup: 'shell', mode: 'ask' })).toMatchObject({ total: 0 });
    expect([session.modes().shell, settings.modes().shell]).toEqual(['ask', 'deny']);
  });
});
