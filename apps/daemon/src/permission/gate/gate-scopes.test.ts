import { describe, expect, it } from 'vitest';
import { misfit, openGate, read, ruleOf, write } from '../../../test/support/gate-fixture.ts';
import type { Outcome } from './gate.ts';
import type { Resource } from '../rules/resource.ts';

const inDocs = (name: string): Resource => ({ ...write(`/w/docs/${name}`), folder: '/w/docs/' });
const docs = { toolGroup: 'filesystemWrite', resource: '/w/docs/', reach: 'folder' };

const openDocs = async () => {
  const world = await openGate();
  world.resources = [inDocs('a')];
  return world;
};

describe('a decision with a reach', () => {
  it('is offered in words, each with the decisions that it goes with', async () => {
    const world = await openDocs();
    const lasting = ['allowForSession', 'alwaysAllow', 'alwaysDeny'];
    const covers = [expect.stringMatching(/^[0-9a-f]{32}$/)];
    const short = { covers, decisions: ['allowForSession'], durationMs: 900_000 };
    expect((await world.asked()).reaches).toEqual([
      { id: 'exact', scope: 'exact', label: 'change or delete /w/docs/a', covers, decisions: lasting },
      { id: 'exact-15-minutes', scope: 'exact', label: 'change or delete /w/docs/a', ...short },
      {
        id: 'folder',
        scope: 'folder',
        label: 'change or delete files in /w/docs and below',
        covers,
        decisions: lasting,
      },
      {
        id: 'folder-15-minutes',
        scope: 'folder',
        label: 'change or delete files in /w/docs and below',
        ...short,
      },
    ]);
  });

  it.each<[string, string | undefined, object[]]>([
    ['none', undefined, [ruleOf(write('/w/docs/a'))]],
    ['exact', 'exact', [ruleOf(write('/w/docs/a'))]],
    ['folder', 'folder', [docs]],
  ])('%s: always allow keeps what it says', async (_name, reach, rules) => {
    const world = await openDocs();
    await world.asked();
    expect((await world.send('alwaysAllow', {}, reach)).kind).toBe('run');
    expect(world.rules()).toEqual({ allow: rules, deny: [] });
  });

  it('folder: always deny keeps what it says', async () => {
    const world = await openDocs();
    await world.asked();
    expect((await world.send('alwaysDeny', {}, 'folder')).kind).toBe('denied');
    expect(world.rules()).toEqual({ allow: [], deny: [docs] });
    world.resources = [inDocs('deep/b')];
    expect((await world.send(undefined, { requestId: 'r2' })).kind).toBe('denied');
  });

  it.each<[string, string, number, Outcome['kind']]>([
    ['another file of the folder, at once', 'docs/b', 0, 'run'],
    ['a moment before the end', 'docs/b', 900_000 - 1, 'run'],
    ['at the end', 'docs/b', 900_000, 'ask'],
    ['another folder', 'docs-evil/b', 0, 'ask'],
  ])('for 15 minutes: %s', async (_name, path, afterMs, kind) => {
    const world = await openDocs();
    await world.asked();
    await world.send('allowForSession', {}, 'folder-15-minutes');
    world.clock.advance(afterMs);
    world.resources = [write(`/w/${path}`)];
    expect((await world.send(undefined, { requestId: 'r2' })).kind).toBe(kind);
    expect(world.rules()).toEqual({ allow: [], deny: [] });
  });
});

describe('CF-03 a reach that does not fit is a denial', () => {
  it.each([
    ['one that was not offered', 'alwaysAllow', 'everything'],
    ['one of the prototype', 'alwaysAllow', 'constructor'],
    ['an empty one', 'alwaysAllow', ''],
    ['a short one, for ever', 'alwaysAllow', 'folder-15-minutes'],
    ['a short one, as a denial', 'alwaysDeny', 'folder-15-minutes'],
    ['beside once', 'allowOnce', 'folder'],
    ['beside deny once', 'denyOnce', 'folder'],
  ])('%s', async (_name, decision, reach) => {
    const world = await openDocs();
    await world.asked();
    expect(await world.send(decision, {}, reach)).toEqual(misfit);
    expect(world.rules()).toEqual({ allow: [], deny: [] });
    expect((await world.send(undefined, { requestId: 'r2' })).kind).toBe('ask');
  });

  it('also in the terminal', async () => {
    const answer = { decision: 'alwaysAllow' as const, reach: 'everything' };
    const world = await openGate({
      ask: { kind: 'terminal', askInTerminal: () => Promise.resolve(answer) },
    });
    expect(await world.send()).toEqual(misfit);
  });
});

describe('what is offered', () => {
  const scopes = async (...resources: Resource[]) => {
    const world = await openGate({ modes: { filesystemRead: 'ask', shell: 'ask', computer: 'ask' } });
    world.resources = resources;
    return [...new Set((await world.asked()).reaches?.map(({ label }) => label))];
  };
  const other = (toolGroup: Resource['toolGroup'], resource: string, more = {}): Resource => ({
    toolGroup,
    resource,
    description: resource,
    ...more,
  });

  it.each<[string, Resource[], string[]]>([
    ['a folder outside the root gives no scope', [{ ...write('/w'), folder: '/' }], ['change or delete /w']],
    ['a sibling of the root gives no scope', [{ ...write('/w'), folder: '/wide/' }], ['change or delete /w']],
    ['FS-34 a secret has no folder', [{ ...read('/w/.env'), folder: '/w/' }], ['read /w/.env']],
    [
      'FS-25 what others run has none',
      [{ ...write('/w/package.json'), folder: '/w/' }],
      ['change or delete /w/package.json'],
    ],
    [
      'CF-05 several resources: all of them or none',
      [{ ...read('/w/a/x'), folder: '/w/a/' }, write('/w/b/')],
      ['read /w/a/x; delete or move the folder /w/b'],
    ],
    [
      'several with a folder each',
      [
        { ...read('/w/a/x'), folder: '/w/a/' },
        { ...write('/w/b/y'), folder: '/w/b/' },
      ],
      [
        'read /w/a/x; change or delete /w/b/y',
        'read files in /w/a and below; change or delete files in /w/b and below',
      ],
    ],
    ['a command, exactly', [other('shell', '"/w/x" $ ls')], ['run only this exact command in /w/x']],
    [
      'a host',
      [other('browser', 'docs.example.org')],
      ['visit docs.example.org', 'visit docs.example.org and its subdomains'],
    ],
    ['SS-15 a public suffix', [other('browser', 'github.io')], ['visit github.io']],
    ['SS-15 a public suffix of two labels', [other('browser', 'co.uk')], ['visit co.uk']],
    [
      'a page of somebody under a public suffix',
      [other('browser', 'ada.github.io')],
      ['visit ada.github.io', 'visit ada.github.io and its subdomains'],
    ],
    ['an address', [other('browser', '127.0.0.1')], ['visit 127.0.0.1']],
    ['an address of 16 bytes', [other('browser', '[::1]')], ['visit [::1]']],
    ['a name without a dot', [other('browser', 'localhost')], ['visit localhost']],
    [
      'an MCP tool of a server that says nothing',
      [other('mcp', 'files/read')],
      ['call read of the MCP server files'],
    ],
    [
      'an MCP tool',
      [other('mcp', 'files/read', { serverFingerprint: 'f' })],
      ['call read of the MCP server files', 'call every tool of the MCP server files'],
    ],
    ['the screen, as asked', [other('computer', 'screen')], ['take screenshots']],
    ['what hides something in it', [write('/w/a\u200b')], []],
  ])('%s', async (_name, resources, labels) => {
    expect(await scopes(...resources)).toEqual(labels);
  });
});
