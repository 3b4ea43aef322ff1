import { mergedDiff } from '@drawbridge/contracts/machines/merged-diff';
import type { DiffPreview } from '@drawbridge/contracts/preview';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { diffPreview } from './change-preview.ts';

/** Each line with its line feed. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The new text; undefined where the diff is not one of this text. */
const applied = ({ hunks, lines: total }: DiffPreview, before: string): string | undefined => {
  const old = linesOf(before);
  const built: string[] = [];
  let next = 1;
  for (const { oldStart = 0, newStart = 0, lines } of hunks) {
    built.push(...old.slice(next - 1, oldStart - 1));
    next = oldStart;
    if (built.length !== newStart - 1) return undefined;
    for (const line of lines) {
      if (line.kind === 'omitted') return undefined;
      const text = line.text + (line.lastWithoutLineFeed ? '' : '\n');
      if (line.kind !== 'removed') built.push(text);
      if (line.kind === 'added') continue;
      if (old[next - 1] !== text) return undefined;
      next += 1;
    }
  }
  built.push(...old.slice(next - 1));
  return built.length === total ? built.join('') : undefined;
};

const line = fc.constantFrom('', 'a', 'b', 'c', '}', '\\ No newline at end of file', '-', '+', 'd\r');
const text = fc
  .tuple(fc.array(line, { maxLength: 40 }), fc.boolean())
  .map(([lines, isEnded]) => lines.join('\n') + (isEnded && lines.length > 0 ? '\n' : ''));
const edit = fc.record({
  at: fc.nat(40),
  removed: fc.nat(6),
  added: fc.array(line, { maxLength: 6 }),
  isEnded: fc.boolean(),
});

type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;
const edited = (before: string, { at, removed, added, isEnded }: Edit) => {
  const lines = before.split('\n');
  if (lines.at(-1) === '') lines.pop();
  lines.splice(Math.min(at, lines.length), removed, ...added);
  return lines.join('\n') + (isEnded && lines.length > 0 ? '\n' : '');
};
const diff = (before: string, after: string) => diffPreview('a', { before, after }, 'file');

it('CF-31 changes one after the other are one diff, that makes the last text of the first', async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.array(edit, { minLength: 2, maxLength: 5 }), async (first, edits) => {
      let [merged, last] = [await diff(first, first), first];
      for (const one of edits) {
        const after = edited(last, one);
        const both = mergedDiff(merged, await diff(last, after));
        if (!both) throw new Error('not merged');
        [merged, last] = [both, after];
      }
      expect(applied(merged, first)).toBe(last);
      const lines = merged.hunks.flatMap((hunk) => hunk.lines);
      expect(merged.added).toBe(lines.filter(({ kind }) => kind === 'added').length);
      expect(merged.removed).toBe(lines.filter(({ kind }) => kind === 'removed').length);
    }),
    { numRuns: 500 },
  );
});

/** The lines of the old or the new text that a diff shows, by number. */
const shown = ({ hunks }: DiffPreview, side: 'old' | 'new'): Map<number, string> => {
  const gone = side === 'old' ? 'added' : 'removed';
  return new Map(
    hunks.flatMap(({ oldStart = 0, newStart = 0, lines }) =>
      lines
        .flatMap((one) => (one.kind === 'omitted' || one.kind === gone ? [] : [one]))
        .map((one, at): [number, string] => [
          (side === 'old' ? oldStart : newStart) + at,
          one.text + (one.lastWithoutLineFeed ? '' : '\n'),
        ]),
    ),
  );
};

it('CF-31 a text that something else changed in between is merged only where no shown line tells', async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.tuple(edit, edit, edit), async (first, [one, between, two]) => {
      const left = edited(first, one);
      const found = edited(left, between);
      const earlier = await diff(first, left);
      const later = await diff(found, edited(found, two));
      const before = shown(later, 'old');
      const isSeen = [...shown(earlier, 'new')].some(([at, line_]) => (before.get(at) ?? line_) !== line_);
      const isMerged = mergedDiff(earlier, later) !== undefined;
      expect(isMerged).toBe(!isSeen && linesOf(left).length === linesOf(found).length);
    }),
    { numRuns: 500 },
  );
});

const many = (count: number, word: string) =>
  Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join('');

it.each<[string, () => Promise<DiffPreview>]>([
  ['leaves lines out', () => diff('', many(2_500, 'new'))],
  ['leaves the end of a line out', () => diff('', 'x'.repeat(60_010))],
  ['does not say where it is', () => diffPreview('a', { before: 'a\n', after: 'b\n' }, 'fragment')],
])('CF-31 a diff that %s is not merged', async (_what, make) => {
  const one = await make();
  const none: DiffPreview = { kind: 'diff', path: 'a', hunks: [], added: 0, removed: 0 };
  expect(mergedDiff(one, { ...none, lines: one.lines ?? 1 })).toBeUndefined();
  expect(mergedDiff({ ...none, lines: 0 }, one)).toBeUndefined();
});

it('shows three unchanged lines around what has changed, and nothing of what was changed back', async () => {
  const first = many(40, 'a');
  const second = first.replace('a 4\n', 'b\nc\n');
  const third = first.replace('a 4\n', 'b\n').replace('a 30\n', '');
  const both = mergedDiff(await diff(first, second), await diff(second, third));
  expect(both).toEqual(await diff(first, third));
  if (both) expect(mergedDiff(both, await diff(third, first))).toEqual(await diff(first, first));
});
