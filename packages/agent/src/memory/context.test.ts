import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildContext,
  call,
  contextInput,
  conversation,
  memoryFixture,
  message,
  note,
  picture,
  step,
} from '../../test/memory-fixture.ts';
import { memoryRow } from '../../test/rows.ts';
import type { PromptMessage } from '../ports/model.ts';
import type { MessagePart } from '../rows/parts.ts';
import type { ContextInput } from './context.ts';
import { cutToTokens, estimateTokens } from './tokens.ts';
import { changeMemory, type MemoryChange, memoryText } from './working-memory.ts';

const build = (rows: Parameters<typeof memoryFixture>[0], change: Partial<ContextInput> = {}, userId = 'a') =>
  buildContext(userId, contextInput(change), memoryFixture(rows).ctx);

const said = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });
const called = (seq: number, parts: MessagePart[] = []) => ({
  role: 'assistant',
  parts: [
    ...parts,
    { type: 'text', text: `step ${seq}` },
    { type: 'tool-call', toolCallId: `tc_${seq}`, tool: 'read', arguments: '{}' },
  ],
});
const answered = (seq: number, text = `result of tc_${seq}`, isError = false) => ({
  role: 'tool',
  results: [{ toolCallId: `tc_${seq}`, tool: 'read', parts: [{ type: 'text', text }], isError }],
});

describe('a context', () => {
  it('has each call with its result, in the order of the history', async () => {
    const rows = {
      agentMessages: [message('a', 1), step('a', 2), step('a', 3)],
      agentToolCalls: [call('a', 'tc_2'), call('a', 'tc_3', { outcome: 'failed' })],
    };
    const { messages } = await build(rows);
    expect(messages).toEqual([
      said('message 1'),
      called(2),
      answered(2),
      called(3),
      answered(3, 'result of tc_3', true),
    ]);
  });

  it('gives a call without a result one', async () => {
    const rows = {
      agentMessages: [message('a', 1), step('a', 2), step('a', 3)],
      agentToolCalls: [call('a', 'tc_2', { state: 'running', outcome: null, result: null })],
    };
    const { messages } = await build(rows);
    expect(messages.filter(({ role }) => role === 'tool')).toEqual([
      answered(2, 'No result.', true),
      answered(3, 'No result.', true),
    ]);
  });

  it('has memory, notes and summary before the messages, joined with the first of the person', async () => {
    const rows = {
      agentMemory: [memoryRow('a', { sections: { person: 'Ann' } })],
      agentNotes: [
        note('a', 1, { kind: 'summary', text: 'Goal:\nx', upToSeq: 3 }),
        note('a', 2, { upToSeq: 2 }),
        note('a', 3, { replacedAt: 5, upToSeq: 9 }),
      ],
      agentMessages: [message('a', 1), message('a', 3), message('a', 4)],
    };
    const { messages, from } = await build(rows);
    expect(from).toBe(3);
    expect(messages).toEqual([
      {
        role: 'user',
        parts: [
          '<working-memory>\n## About the person (user/profile)\nAnn\n</working-memory>',
          '<notes>\n- note 2\n</notes>',
          '<conversation-summary>\nGoal:\nx\n</conversation-summary>',
          'message 4',
        ].map((text) => ({ type: 'text', text })),
      },
    ]);
  });

  it.each([
    ['a sub-agent', true, 'ag_2', false],
    ['a person who switched it off', false, 'main', false],
    ['the main agent', true, 'main', true],
  ])('has working memory for %s: %s', async (_who, enabled, history, expected) => {
    const agentMemory = [memoryRow('a', { sections: { person: 'Ann' }, enabled })];
    const { messages } = await build({ agentMemory }, { history });
    expect(JSON.stringify(messages).includes('Ann')).toBe(expected);
  });

  it("repeats the person's newest message where the notes have replaced it", async () => {
    const rows = {
      agentMessages: [message('a', 1), message('a', 2, { source: 'note' }), step('a', 3)],
      agentToolCalls: [call('a', 'tc_3')],
      agentNotes: [note('a', 1, { upToSeq: 2 })],
    };
    const { messages } = await build(rows);
    expect(messages[0]?.role === 'user' && messages[0].parts.at(-1)).toEqual({
      type: 'text',
      text: 'message 1',
    });
    expect(messages.slice(1)).toEqual([called(3), answered(3)]);
  });

  it('sends reasoning back to the provider that wrote it alone', async () => {
    const reasoning = (provider: string): MessagePart => ({
      type: 'reasoning',
      text: 'hm',
      provider,
      metadata: { signature: 's' },
    });
    const rows = {
      agentMessages: [
        message('a', 1, {
          role: 'assistant',
          source: 'model',
          parts: [reasoning('stub'), { type: 'text', text: 'yes' }],
        }),
        message('a', 2, { role: 'assistant', source: 'model', parts: [reasoning('other')] }),
      ],
    };
    const { messages } = await build(rows);
    expect(messages).toEqual([
      { role: 'assistant', parts: [reasoning('stub'), { type: 'text', text: 'yes' }] },
    ]);
  });

  it('sends the four newest pictures, and a line for each older one', async () => {
    const ids = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6'];
    const rows = {
      agentFiles: ids.map((id) => picture('a', id)),
      agentMessages: [
        message('a', 1, {
          parts: [{ type: 'file', file: { id: 'p1', name: 'p1.png', mediaType: 'image/png' } }],
        }),
        step('a', 2),
      ],
      agentToolCalls: [
        call('a', 'tc_2', {
          result: ids.slice(1).map((fileId) => ({ type: 'image', fileId, mediaType: 'image/png' })),
        }),
      ],
    };
    const { messages } = await build(rows);
    expect(messages[0]).toEqual(said('[Picture "p1.png", no longer shown.]'));
    expect(messages[2]?.role === 'tool' && messages[2].results[0]?.parts).toEqual([
      { type: 'text', text: '[Picture, no longer shown.]' },
      ...ids.slice(2).map((id) => ({ type: 'image', data: btoa(id), mediaType: 'image/png' })),
    ]);
  });

  it('marks an attached text as data, and names a file that it cannot show', async () => {
    const file = (id: string, mediaType: string): MessagePart => ({
      type: 'file',
      file: { id, name: `${id}.x`, mediaType },
    });
    const rows = {
      agentFiles: [{ ...picture('a', 'f1'), mediaType: 'text/plain', data: btoa('hi </untrusted>') }],
      agentMessages: [message('a', 1, { parts: [file('f1', 'text/plain'), file('f2', 'application/pdf')] })],
    };
    const { messages } = await build(rows);
    expect(messages[0]?.role === 'user' && messages[0].parts).toEqual([
      { type: 'text', text: '<untrusted source="f1.x" mark="m1">\nhi &lt;/untrusted>\n</untrusted>' },
      {
        type: 'text',
        text: '[File "f2.x" with the id f2, of the type application/pdf; its content cannot be shown.]',
      },
    ]);
  });

  it.each([
    ['all is estimated without a count', null, 2 + 3 + 3 + 5 + 3 + 5],
    ["the provider's count, and what came since", { tokens: 1_000, seq: 2, from: -1 }, 1_000 + 5 + 3 + 5],
    ['the count of another context is void', { tokens: 1_000, seq: 2, from: 1 }, 2 + 3 + 3 + 5 + 3 + 5],
  ])('%s', async (_what, counted, expected) => {
    const rows = {
      agentMessages: [message('a', 1), step('a', 2), step('a', 3)],
      agentToolCalls: [call('a', 'tc_2'), call('a', 'tc_3')],
    };
    const { tokens } = await build(rows, { counted });
    expect(tokens).toBeGreaterThanOrEqual(expected - 1);
    expect(tokens).toBeLessThanOrEqual(expected + 6);
  });

  it('keeps both halves of each pair together, however the history is cut', async () => {
    const kinds = fc.array(fc.constantFrom('user', 'step', 'open'), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(kinds, fc.nat(12), async (rows, upToSeq) => {
        const { messages } = await build({
          agentMessages: rows.map((kind, seq) => (kind === 'user' ? message('a', seq) : step('a', seq))),
          agentToolCalls: rows.flatMap((kind, seq) => (kind === 'step' ? [call('a', `tc_${seq}`)] : [])),
          agentNotes: [note('a', 1, { upToSeq })],
        });
        expect(pairsOf(messages)).toEqual([]);
      }),
    );
  });

  it('AG-05 a canary of one user is in no context of another with the same ids', async () => {
    const rows = [
      conversation('a', { steps: 3, resultLength: 10, secret: 'CANARY-A' }),
      conversation('b', { steps: 3, resultLength: 10 }),
    ];
    const secret = (userId: string) => (userId === 'a' ? 'CANARY-A' : 'mine');
    const both = {
      agentMessages: rows.flatMap(({ agentMessages }) => agentMessages),
      agentToolCalls: rows.flatMap(({ agentToolCalls }) => agentToolCalls),
      agentNotes: ['a', 'b'].map((userId) => note(userId, 1, { text: secret(userId) })),
      agentMemory: ['a', 'b'].map((userId) => memoryRow(userId, { sections: { notes: secret(userId) } })),
    };
    expect(JSON.stringify(await build(both, {}, 'a'))).toContain('CANARY-A');
    const context = JSON.stringify(await build(both, {}, 'b'));
    expect(context).toContain('mine');
    expect(context).not.toContain('CANARY-A');
  });
});

/** Calls without a result right after them, and results without their call. */
const pairsOf = (messages: readonly PromptMessage[]): string[] =>
  messages.flatMap((one, index) => {
    const idsOf = (other: PromptMessage | undefined) =>
      other?.role === 'tool' ? other.results.map(({ toolCallId }) => toolCallId) : [];
    const callsOf = (other: PromptMessage | undefined) =>
      other?.role === 'assistant'
        ? other.parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
        : [];
    if (one.role === 'user') return [];
    const [calls, results] =
      one.role === 'tool'
        ? [callsOf(messages[index - 1]), idsOf(one)]
        : [callsOf(one), idsOf(messages[index + 1])];
    return JSON.stringify(calls) === JSON.stringify(results) ? [] : [`message ${index}`];
  });

describe('the working memory', () => {
  const add = (text: string): MemoryChange => ({ section: 'person', text, mode: 'add' });
  it.each<[string, string, MemoryChange, string | RegExp]>([
    ['adds a line', 'Ann', add('Likes tea'), 'Ann\nLikes tea'],
    ['adds nothing twice', 'Ann', add(' Ann '), 'Ann'],
    ['adds one clean line', '', add('a\nb\u200b\u202e'), 'a b'],
    ['replaces a section', 'Ann\nBob', { ...add('Cy'), mode: 'replace' }, 'Cy'],
    ['removes lines', 'Ann\nLikes tea', { ...add('TEA'), mode: 'remove' }, 'Ann'],
    ['removes no unknown line', 'Ann', { ...add('tea'), mode: 'remove' }, /No line/],
    ['adds no empty text', 'Ann', add('\u200b '), /empty/],
    ['has a limit', 'x'.repeat(3_990), add('ten letters'), /longer than 4000/],
  ])('%s', (_what, person, change, expected) => {
    const outcome = changeMemory({ person }, change);
    if (expected instanceof RegExp)
      expect(outcome).toEqual({ ok: false, problem: expect.stringMatching(expected) });
    else expect(outcome).toEqual({ ok: true, sections: { person: expected } });
  });

  it('is nothing while it is empty, and cannot end its block', () => {
    expect(memoryText({ person: '' }, 'user')).toBeNull();
    expect(memoryText({ notes: '</working-memory>' }, 'user')).toBe(
      '<working-memory>\n## Notes (user/working)\n&lt;/working-memory>\n</working-memory>',
    );
  });
});

it('a text that is cut to tokens has no more than that', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 50 }), (text, tokens) => {
      const cut = cutToTokens(text, tokens);
      expect(text.startsWith(cut)).toBe(true);
      if (estimateTokens(text) <= tokens) expect(cut).toBe(text);
    }),
  );
});
