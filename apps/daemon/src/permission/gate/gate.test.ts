import { readFileSync, writeFileSync } from 'node:fs';
import type { Decision } from '@drawbridge/contracts/groups';
import type { Preview } from '@drawbridge/contracts/preview';
import { describe, expect, it } from 'vitest';
import { byPerson, misfit, openGate, read, ruleOf, write } from '../../../test/support/gate-fixture.ts';
import type { Ask, Outcome } from './gate.ts';
import type { Modes } from '../rules/modes.ts';
import type { Attempt } from './question.ts';

const replacing = (text: string): Preview => ({ kind: 'text', of: 'content', path: 'a', text });

describe('the five decisions', () => {
  const runs = { kind: 'run', arguments: { filePath: 'a', content: 'x' }, granted: [write('/w/a')] };
  const stored = { kind: 'rules', allow: [ruleOf(write('/w/a'))], deny: [] };
  const nothing = { kind: 'rules', allow: [], deny: [] };

  it.each<[Decision, object, object, string]>([
    ['allowOnce', runs, nothing, 'ask'],
    ['allowForSession', runs, nothing, 'run'],
    ['alwaysAllow', runs, stored, 'run'],
    ['denyOnce', byPerson, nothing, 'ask'],
    ['alwaysDeny', byPerson, { kind: 'rules', allow: [], deny: [ruleOf(write('/w/a'))] }, 'denied'],
  ])('%s', async (decision, outcome, rules, next) => {
    const world = await openGate();
    await world.asked();
    expect(await world.send(decision)).toEqual(outcome);
    expect({ kind: 'rules', ...world.rules() }).toEqual(rules);
    expect((await world.send(undefined, { requestId: 'r2' })).kind).toBe(next);
  });

  it('CF-13 what was allowed for the session ends with it, and so do open questions', async () => {
    const world = await openGate();
    await world.asked();
    await world.send('allowForSession');
    world.resources = [write('/w/b')];
    await world.asked({ requestId: 'r2' });
    world.gate.endSession();
    expect((await world.send('allowOnce', { requestId: 'r2' })).kind).toBe('ask');
    world.resources = [write('/w/a')];
    expect((await world.send(undefined, { requestId: 'r3' })).kind).toBe('ask');
  });
});

describe('CF-01 a decision for which nothing was asked counts for nothing', () => {
  it.each(['allowOnce', 'allowForSession', 'alwaysAllow', 'alwaysDeny', true])('%j', async (confirmation) => {
    const world = await openGate();
    expect((await world.send(confirmation)).kind).toBe('ask');
    expect(world.rules()).toEqual({ allow: [], deny: [] });
  });

  it('also a second time', async () => {
    const world = await openGate();
    await world.asked();
    expect((await world.send('allowOnce')).kind).toBe('run');
    expect((await world.send('allowOnce')).kind).toBe('ask');
  });
});

describe('CF-02 an answer fits one question', () => {
  it.each<[string, Partial<Attempt>]>([
    ['other arguments', { arguments: { filePath: 'a', content: 'y' } }],
    ['one argument more', { arguments: { filePath: 'a', content: 'x', mode: 7 } }],
    ['another tool', { tool: 'delete' }],
  ])('%s: denied, and the question is gone', async (_case, over) => {
    const world = await openGate();
    await world.asked();
    expect(await world.send('alwaysAllow', over)).toEqual(misfit);
    expect(world.rules()).toEqual({ allow: [], deny: [] });
    expect((await world.send('allowOnce')).kind).toBe('ask');
  });

  it('the order of the arguments does not matter, and those that were kept run', async () => {
    const world = await openGate();
    await world.asked();
    const outcome = await world.send('allowOnce', { arguments: { content: 'x', filePath: 'a' } });
    expect(outcome).toMatchObject({ kind: 'run' });
    expect(JSON.stringify(outcome.kind === 'run' && outcome.arguments)).toBe(
      '{"filePath":"a","content":"x"}',
    );
  });

  it('another target behind the same arguments is asked about anew', async () => {
    const world = await openGate();
    const first = await world.asked();
    world.resources = [write('/w/swapped')];
    const outcome = await world.send('alwaysAllow');
    expect(outcome).toMatchObject({ kind: 'ask', question: { resource: '/w/swapped' } });
    expect(outcome.kind === 'ask' && outcome.question.askId).not.toBe(first.askId);
    expect(world.rules()).toEqual({ allow: [], deny: [] });
  });

  it('FS-08 another content than the one that was shown is asked about anew', async () => {
    const world = await openGate();
    world.preview = replacing('old');
    await world.asked();
    world.preview = replacing('changed');
    expect(await world.send('allowOnce')).toMatchObject({
      kind: 'ask',
      question: { preview: replacing('changed') },
    });
  });
});

describe('CF-03 a decision that was not offered is a denial', () => {
  it.each([['ALLOW'], ['allow_once'], [true], [['allowOnce']], [{}], [''], [null], [1], ['constructor']])(
    '%j',
    async (confirmation) => {
      const world = await openGate();
      await world.asked();
      expect(await world.send(confirmation)).toEqual(misfit);
    },
  );
});

describe('CF-16 what hides something in it', () => {
  it.each<[Decision, Outcome['kind']]>([
    ['allowOnce', 'run'],
    ['allowForSession', 'denied'],
    ['alwaysAllow', 'denied'],
    ['denyOnce', 'denied'],
  ])('%s -> %s', async (given, kind) => {
    const world = await openGate();
    world.resources = [write('/w/a'), write('/w/b\u200b')];
    expect((await world.asked()).options).toEqual(['allowOnce', 'denyOnce', 'alwaysDeny']);
    expect((await world.send(given)).kind).toBe(kind);
    expect(world.rules()).toEqual({ allow: [], deny: [] });
  });
});

describe('several resources', () => {
  it('CF-04 one question lists all that need asking, and no other', async () => {
    const world = await openGate();
    world.resources = [read('/w/a'), write('/w/a'), write('/w/b')];
    const shown = [write('/w/a'), write('/w/b')];
    expect(await world.asked()).toEqual({
      ...write('/w/a'),
      title: 'Change a?',
      why: [{ toolGroup: 'filesystemWrite', cause: 'mode' }],
      options: ['allowOnce', 'allowForSession', 'alwaysAllow', 'denyOnce', 'alwaysDeny'],
      resources: shown,
      reaches: expect.any(Array),
      askId: expect.any(String),
    });
  });

  it('CF-04 one denial refuses before anything is asked', async () => {
    const world = await openGate();
    await world.settings.addRules('deny', [ruleOf(write('/w/b'))]);
    world.resources = [write('/w/a'), write('/w/b')];
    expect(await world.send()).toEqual({
      kind: 'denied',
      reason: 'Access denied: a rule forbids /w/b',
      ruling: 'rule',
    });
  });

  it('CF-05 always stores one rule for each resource that was shown, in its own group', async () => {
    const world = await openGate({ modes: { filesystemRead: 'ask' } });
    world.resources = [read('/w/a'), write('/w/b')];
    await world.settings.addRules('allow', [ruleOf(write('/w/b'))]);
    await world.asked();
    await world.send('alwaysAllow');
    expect(world.rules().allow).toEqual([ruleOf(write('/w/b')), ruleOf(read('/w/a'))]);
    world.resources = [read('/w/c'), write('/w/d')];
    await world.asked({ requestId: 'r2' });
    await world.send('alwaysDeny', { requestId: 'r2' });
    expect(world.rules().deny).toEqual([ruleOf(read('/w/c')), ruleOf(write('/w/d'))]);
  });

  it('CF-10 what came to need asking meanwhile is asked about', async () => {
    const modes: Partial<Modes> = { filesystemRead: 'allow' };
    const world = await openGate({ modes });
    world.resources = [read('/w/a'), write('/w/b')];
    expect((await world.asked()).resources).toEqual([write('/w/b')]);
    modes.filesystemRead = 'ask';
    expect(await world.send('allowOnce')).toMatchObject({
      kind: 'ask',
      question: { resources: [read('/w/a'), write('/w/b')] },
    });
  });
});

describe('settings that change while a question is open (FS-23)', () => {
  it('a rule or a mode that forbids wins over the answer', async () => {
    const modes: Partial<Modes> = {};
    const world = await openGate({ modes });
    await world.asked();
    await world.settings.addRules('deny', [ruleOf(write('/w'))]);
    expect(await world.send('alwaysAllow')).toEqual({
      kind: 'denied',
      reason: 'Access denied: a rule forbids /w/a',
      ruling: 'rule',
    });
    expect(world.rules().allow).toEqual([]);
    world.resources = [write('/x')];
    await world.asked({ requestId: 'r2' });
    modes.filesystemWrite = 'deny';
    expect(await world.send('allowOnce', { requestId: 'r2' })).toEqual({
      kind: 'denied',
      reason: 'Access denied: filesystemWrite is switched off on this machine',
      ruling: 'mode',
    });
  });

  it('a group that is off is refused before anything is looked at', async () => {
    const world = await openGate({ modes: { filesystemWrite: 'deny' } });
    const inspect = () => Promise.reject(new Error('looked'));
    expect((await world.send('allowOnce', { inspect })).kind).toBe('denied');
  });

  it('an edit of the file counts at once; a broken file refuses everything and says where on this machine only', async () => {
    const world = await openGate();
    await world.asked();
    writeFileSync(world.file, JSON.stringify({ version: 1, modes: { filesystemWrite: 'deny' } }));
    expect((await world.send('allowOnce')).kind).toBe('denied');
    writeFileSync(world.file, '{"version":1');
    await expect(world.send()).rejects.toMatchObject({
      code: 'SETTINGS_UNUSABLE',
      message: 'Access denied: the settings on this machine cannot be used',
    });
    expect(readFileSync(world.file, 'utf8')).toBe('{"version":1');
  });
});

it('what holds for one resource follows what was settled, at once', async () => {
  const world = await openGate();
  expect(await world.gate.access(write('/w/a'))).toBe('ask');
  await world.settings.addRules('allow', [ruleOf(write('/w/a'))]);
  expect(await world.gate.access(write('/w/a'))).toBe('allow');
  await world.settings.addRules('deny', [ruleOf(write('/w/a'))]);
  expect(await world.gate.access(write('/w/a'))).toBe('deny');
});

describe('in the terminal', () => {
  const answering = (given: Decision): Ask => ({
    kind: 'terminal',
    askInTerminal: () => Promise.resolve({ decision: given }),
  });

  it.each<[Decision, Outcome['kind']]>([
    ['allowOnce', 'run'],
    ['alwaysAllow', 'run'],
    ['denyOnce', 'denied'],
    ['alwaysDeny', 'denied'],
  ])('%s -> %s', async (given, kind) => {
    const world = await openGate({ ask: answering(given) });
    expect((await world.send()).kind).toBe(kind);
  });

  it('the server cannot answer for the person', async () => {
    const world = await openGate({ ask: answering('denyOnce') });
    expect(await world.send('alwaysAllow')).toEqual(byPerson);
  });

  it('what changes while the person thinks is denied', async () => {
    const world = await openGate({
      ask: {
        kind: 'terminal',
        askInTerminal: () => {
          world.resources = [write('/w/swapped')];
          return Promise.resolve({ decision: 'allowOnce' as const });
        },
      },
    });
    expect((await world.send()).kind).toBe('denied');
  });
});

describe('what a person sees', () => {
  it('CF-18 is sent as it stands: what draws it escapes hidden characters', async () => {
    const world = await openGate();
    world.resources = [{ ...write('/w/a\u202eb'), description: 'Write /w/a\u202eb' }];
    world.preview = replacing('\u200b\tb');
    expect(await world.asked()).toMatchObject({
      resource: '/w/a\u202eb',
      description: 'Write /w/a\u202eb',
      preview: world.preview,
    });
  });

  it.each([
    ['CF-18', 'a mark that turns a text around', 'a\u202eb'],
    ['DR-01', 'right-to-left letters', 'rm \u05d0\u05d1 \u05d2\u05d3'],
    ['DR-02', '300 marks on a letter', `a${'\u0301'.repeat(300)}`],
  ])('%s offers no answer that lasts about %s', async (_id, _what, name) => {
    const world = await openGate();
    world.resources = [write(`/w/${name}`)];
    expect((await world.asked()).options).toEqual(['allowOnce', 'denyOnce', 'alwaysDeny']);
    expect(await world.send('alwaysAllow')).toEqual(misfit);
  });
});
