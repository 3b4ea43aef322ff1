import { describe, expect, it } from 'vitest';
import {
  at,
  buildContext,
  contextInput,
  conversation,
  info,
  memoryFixture,
  message,
  note,
  type Reply,
  thread,
} from '../../test/memory-fixture.ts';
import { ModelError } from '../ports/model.ts';
import { compactWhenNeeded, countToSummarise, parseSummary, requestLimit } from './compact.ts';
import { countToObserve, observeWhenDue, parseNotes } from './observe.ts';
import { reflectWhenDue } from './reflect.ts';
import { makeTitle, plainTitle } from './title.ts';
import { estimateTokens } from './tokens.ts';

const id = { threadId: 't', history: 'main' };
const observe = { ...id, info: info(100_000), observerTokens: 30_000 };
const reflect = { ...id, info: info(100_000), reflectorTokens: 40_000 };
const usage = { inputTokens: 10, outputTokens: 2, cachedTokens: 0 };
const notes = '- 2026-11-23 09:30 The person wants the folder tidied.';
/** About 45,000 tokens. */
const long = (userId = 'a', secret = '') => conversation(userId, { steps: 20, resultLength: 7_850, secret });
const failures: [string, Reply][] = [
  ['an error', new ModelError('overloaded', 'Busy.')],
  ['a cut answer', 'cut'],
  ['an empty answer', '  '],
];

describe('the observer', () => {
  it.each([
    ['nothing up to the limit', [50, 50], 100, 0],
    ['all but the newest 20 %', Array.from({ length: 40 }, () => 10), 100, 32],
    ['but never one of the newest six', [1_000, 10, 10, 10, 10, 10, 10], 100, 1],
    ['nothing of six messages', [1_000, 10, 10, 10, 10, 10], 100, 0],
    ['all but six where the newest is huge', [10, 10, 10, 10, 10, 10, 10, 1_000], 100, 2],
  ])('takes %s', (_what, tokens, limit, expected) => {
    expect(countToObserve(tokens, limit)).toBe(expected);
  });

  it('turns the older of 45,000 tokens into notes, and the next context is smaller', async () => {
    const { ctx, requests } = memoryFixture(long(), [notes]);
    const before = await buildContext('a', contextInput(), ctx);
    expect(before.tokens).toBeGreaterThan(44_000);

    const { writes, usage: used } = await observeWhenDue('a', observe, ctx);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ use: 'helper', tools: [] });
    expect(used).toEqual(usage);
    expect(await ctx.store.commit(writes, 'kept')).toBe(true);

    const after = await buildContext('a', contextInput(), ctx);
    expect(JSON.stringify(after.messages)).toContain(notes);
    expect(after.tokens).toBeLessThan(before.tokens / 3);
    expect(await observeWhenDue('a', observe, ctx)).toEqual({ writes: [], usage: null });
    expect(requests).toHaveLength(1);
  });

  it('takes a smaller share of a small context, in parts that the helper can read', async () => {
    const { ctx, requests } = memoryFixture(
      conversation('a', { steps: 20, resultLength: 3_500 }),
      [notes],
      8_192,
    );
    const { writes } = await observeWhenDue('a', { ...observe, info: info(8_192) }, ctx);
    expect(writes).toHaveLength(1);
    expect(estimateTokens(JSON.stringify(requests))).toBeLessThan(8_192);
  });

  it.each(failures)('changes nothing after %s', async (_what, reply) => {
    const { ctx } = memoryFixture(long(), [reply]);
    expect((await observeWhenDue('a', observe, ctx)).writes).toEqual([]);
  });

  it('changes nothing when the helper is silent for 60 s', async () => {
    const { ctx, clock } = memoryFixture(long(), ['silent']);
    const step = observeWhenDue('a', observe, ctx);
    await clock.settle(60_000);
    expect(await step).toEqual({ writes: [], usage: null });
    expect(clock.waiting()).toBe(0);
  });

  it('does not write over notes that came meanwhile', async () => {
    const { ctx } = memoryFixture(long(), [notes, notes]);
    const steps = [await observeWhenDue('a', observe, ctx), await observeWhenDue('a', observe, ctx)];
    expect(await Promise.all(steps.map(({ writes }) => ctx.store.commit(writes, 'kept')))).toEqual([
      true,
      false,
    ]);
  });

  it.each([
    ['a list', '- a\n\n- b\n', '- a\n- b'],
    ['a fenced list', '```markdown\n- a\n```', '- a'],
    ['hidden characters', '- a\u200b', '- a'],
    ['nothing', '', null],
    ['more than half of what it replaces', `- ${'x'.repeat(3_500)}`, null],
  ])('reads %s', (_what, answer, expected) => {
    expect(parseNotes(answer, 1_000)).toBe(expected);
  });
});

describe('the reflector', () => {
  const older = [1, 2, 3].map((seq) => note('a', seq, { text: `- ${'x'.repeat(35_000)}`, tokens: 10_000 }));

  it('condenses notes beyond the limit, and replaces them', async () => {
    const { ctx } = memoryFixture({ agentNotes: older }, [notes]);
    const { writes } = await reflectWhenDue('a', { ...reflect, reflectorTokens: 20_000 }, ctx);
    expect(await ctx.store.commit(writes, 'kept')).toBe(true);
    const live = (await ctx.store.find('agentNotes', { userId: 'a' })).filter(
      ({ replacedAt }) => replacedAt === null,
    );
    expect(live).toEqual([
      note('a', 4, {
        kind: 'reflection',
        text: notes,
        tokens: estimateTokens(notes),
        upToSeq: 3,
        createdAt: at,
      }),
    ]);
  });

  it('condenses the oldest that a small helper can read, which stay before the others', async () => {
    const { ctx } = memoryFixture({ agentNotes: older }, [notes], 20_000);
    const { writes } = await reflectWhenDue('a', { ...reflect, reflectorTokens: 20_000 }, ctx);
    expect(await ctx.store.commit(writes, 'kept')).toBe(true);
    const context = await buildContext('a', contextInput(), ctx);
    expect(JSON.stringify(context.messages).indexOf(notes)).toBeLessThan(100);
    expect(context.tokens).toBeGreaterThan(20_000);
  });

  it('waits up to the limit, and leaves summaries alone', async () => {
    const summary = note('a', 4, { kind: 'summary', tokens: 90_000 });
    const { ctx, requests } = memoryFixture({ agentNotes: [...older, summary] });
    await reflectWhenDue('a', { ...reflect, info: info(200_000) }, ctx);
    expect(requests).toEqual([]);
  });

  it.each([...failures, ['notes that are no shorter', 'x'.repeat(70_000)] as [string, Reply]])(
    'changes nothing after %s',
    async (_what, reply) => {
      const { ctx } = memoryFixture({ agentNotes: older }, [reply]);
      expect((await reflectWhenDue('a', { ...reflect, info: info(8_000) }, ctx)).writes).toEqual([]);
    },
  );
});

describe('the summary', () => {
  const answer =
    '## Goal\nTidy.\n## Important facts\n- a\n**Current state:** half\n## Open issues\n\n# Next step\nGo on.';
  const summary =
    'Goal:\nTidy.\n\nImportant facts:\n- a\n\nCurrent state:\nhalf\n\nOpen issues:\nNone.\n\nNext step:\nGo on.';
  const small = { info: info(8_192) };

  it.each([
    ['its five headings', answer, summary],
    ['a fenced answer', `\`\`\`\n${answer}\n\`\`\``, summary],
    ['no headings', 'I cannot do that.', null],
  ])('reads %s', (_what, text, expected) => {
    expect(parseSummary(text)).toBe(expected);
  });

  it('has 2,000 tokens at most', () => {
    expect(estimateTokens(parseSummary(answer.replace('half', 'x '.repeat(9_000))) ?? '')).toBeLessThan(
      2_001,
    );
  });

  it.each([
    ['four exchanges', ['user', 'assistant', 'assistant', 'assistant', 'assistant'], 0],
    ['a fifth one', ['user', 'assistant', 'user', 'assistant', 'assistant', 'assistant', 'assistant'], 2],
    ['messages of the person in a row', ['user', 'user', 'assistant'], 0],
  ] as const)('counts %s', (_what, roles, expected) => {
    expect(countToSummarise(roles.map((role) => ({ role })))).toBe(expected);
  });

  it('leaves room for the answer, at most a quarter', () => {
    expect(requestLimit(info(100_000))).toBe(85_000 - 8_192);
    expect(requestLimit(info(8_000))).toBe(6_800 - 2_000);
  });

  it('replaces all but the newest 4 exchanges of a small context', async () => {
    const { ctx, requests } = memoryFixture(
      conversation('a', { steps: 20, resultLength: 2_000 }),
      [answer],
      8_192,
    );
    const { context, fits, writes, usage: used } = await compactWhenNeeded('a', contextInput(small), ctx);
    expect(fits).toBe(true);
    expect(used).toEqual(usage);
    expect(requests).toHaveLength(1);
    expect(context.tokens).toBeLessThan(requestLimit(info(8_192)));
    expect(context.messages[0]).toEqual({
      role: 'user',
      parts: [
        { type: 'text', text: `<conversation-summary>\n${summary}\n</conversation-summary>` },
        { type: 'text', text: 'Tidy the folder. ' },
      ],
    });
    expect(context.messages.filter(({ role }) => role === 'assistant')).toHaveLength(4);

    expect(await ctx.store.commit(writes, 'kept')).toBe(true);
    expect(await buildContext('a', contextInput(small), ctx)).toEqual(context);
  });

  it('replaces an earlier summary, which it was given', async () => {
    const rows = {
      ...conversation('a', { steps: 20, resultLength: 2_000 }),
      agentNotes: [note('a', 1, { kind: 'summary', text: 'EARLIER' })],
    };
    const { ctx, requests } = memoryFixture(rows, [answer], 8_192);
    const { writes } = await compactWhenNeeded('a', contextInput(small), ctx);
    expect(JSON.stringify(requests)).toContain('EARLIER');
    expect(await ctx.store.commit(writes, 'kept')).toBe(true);
    expect(JSON.stringify(await buildContext('a', contextInput(small), ctx))).not.toContain('EARLIER');
  });

  it('does nothing while the context fits', async () => {
    const { ctx, requests } = memoryFixture(long());
    const { fits, writes } = await compactWhenNeeded('a', contextInput(), ctx);
    expect([fits, writes, requests]).toEqual([true, [], []]);
  });

  it.each(failures)('leaves out older results after %s', async (_what, reply) => {
    const { ctx } = memoryFixture(conversation('a', { steps: 20, resultLength: 2_000 }), [reply], 10_000);
    const input = contextInput({ info: info(12_000) });
    const { context, fits, writes } = await compactWhenNeeded('a', input, ctx);
    expect([fits, writes]).toEqual([true, []]);
    const left = JSON.stringify(context.messages).match(/Left out to save space/g);
    expect(left).toHaveLength(10);
  });

  it('says when the context cannot be made to fit', async () => {
    const rows = {
      agentMessages: [message('a', 1, { parts: [{ type: 'text', text: 'x'.repeat(90_000) }] })],
    };
    const { ctx } = memoryFixture(rows, [answer], 8_192);
    expect(await compactWhenNeeded('a', contextInput(small), ctx)).toMatchObject({ fits: false, writes: [] });
  });
});

describe('a title', () => {
  const run = { threadId: 't', runId: 'run_1' };
  const titled = (title: string) => [
    expect.objectContaining({ type: 'update', set: { title, titleBy: 'agent' } }),
    expect.objectContaining({ event: expect.objectContaining({ payload: { title } }) }),
  ];
  const rows = { agentThreads: [thread('a')], agentMessages: [message('a', 1)] };

  it.each<[string, Reply, string]>([
    ["the helper's", '"Tidy the **folder**."\n', 'Tidy the folder'],
    ['the first words after an error', new ModelError('network', 'Gone.'), 'message 1'],
    ['the first words instead of a speech', 'Sure! '.repeat(40), 'message 1'],
  ])('is %s', async (_what, reply, expected) => {
    const { ctx } = memoryFixture(rows, [reply]);
    const { writes } = await makeTitle('a', run, ctx);
    expect(writes).toEqual(titled(expected));
    expect(await ctx.store.commit(writes, 'kept')).toBe(true);
  });

  it('is the first words when the helper is silent for 15 s', async () => {
    const { ctx, clock } = memoryFixture(rows, ['silent']);
    const step = makeTitle('a', run, ctx);
    await clock.settle(15_000);
    expect((await step).writes).toEqual(titled('message 1'));
  });

  it("does not replace the person's, also when it came meanwhile", async () => {
    const { ctx, requests } = memoryFixture(rows, ['New']);
    const { writes } = await makeTitle('a', run, ctx);
    const named = { ...thread('a'), title: 'Mine', titleBy: 'person' } as const;
    await ctx.store.commit([{ type: 'put', table: 'agentThreads', row: named }], 'kept');
    expect(await ctx.store.commit(writes, 'kept')).toBe(false);
    expect(await makeTitle('a', run, ctx)).toEqual({ writes: [], usage: null });
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['Plain words.', 'Plain words'],
    ['a\u202e<b>*x*</b>\n`y`', 'abx/b y'],
    [`${'word '.repeat(20)}`, `${'word '.repeat(11).trim()}…`],
    ['[Transcription of a voice message]\nCall home', 'Call home'],
    ['x'.repeat(100), `${'x'.repeat(59)}…`],
  ])('of %j is plain', (text, expected) => {
    expect(plainTitle(text)).toBe(expected);
  });
});

it('AG-05 a canary of one user is in no helper request of another with the same ids', async () => {
  const [a, b] = [long('a', 'CANARY-A'), long('b')];
  const { ctx, requests } = memoryFixture(
    {
      agentThreads: [thread('a'), thread('b')],
      agentMessages: [...a.agentMessages, ...b.agentMessages],
      agentToolCalls: [...a.agentToolCalls, ...b.agentToolCalls],
      agentNotes: ['a', 'b'].map((userId) =>
        note(userId, 1, { text: userId === 'a' ? 'CANARY-A' : 'mine', tokens: 50_000, upToSeq: 0 }),
      ),
    },
    [],
  );
  await observeWhenDue('b', observe, ctx);
  await reflectWhenDue('b', reflect, ctx);
  await compactWhenNeeded('b', contextInput({ info: info(30_000) }), ctx);
  await makeTitle('b', { threadId: 't', runId: 'run_1' }, ctx);
  expect(requests).toHaveLength(4);
  expect(JSON.stringify(requests)).not.toContain('CANARY-A');
  await observeWhenDue('a', observe, ctx);
  expect(JSON.stringify(requests)).toContain('CANARY-A');
});
