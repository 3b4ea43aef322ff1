import { recapFilesLimits } from '@drawbridge/contracts/machines/recap-files';
import type { DiffPreview, Preview } from '@drawbridge/contracts/preview';
import { expect, it } from 'vitest';
import { changedFiles, type FileChange } from './changed-files.ts';
import { readFiles } from './recap-files.ts';
import type { FileCall } from './recap.store.ts';

/** Line `at` of a file of 20 lines, from one word to another. */
const diffOf = (
  at: number,
  [removed, added]: [string, string],
  more: Partial<DiffPreview> = {},
): DiffPreview => ({
  kind: 'diff',
  path: 'a.txt',
  hunks: [
    {
      oldStart: at,
      newStart: at,
      lines: [
        { kind: 'removed', text: removed },
        { kind: 'added', text: added },
      ],
    },
  ],
  added: 1,
  removed: 1,
  lines: 20,
  ...more,
});

const change = (from: number, to: number, more: Partial<FileChange> = {}): FileChange => ({
  requestId: `r${from}`,
  machineId: 'm1',
  tool: 'write_file',
  subject: 'a.txt',
  preview: diffOf(from, ['x', 'y']),
  window: { from, to },
  ...more,
});
const text: Preview = { kind: 'text', of: 'content', path: 'a.txt', text: 'y' };
const long = Array.from({ length: recapFilesLimits.mergedLines - 5 }, (_, at) => `line ${at}`);
const many = diffOf(1, ['x', 'y'], {
  hunks: [{ oldStart: 1, newStart: 1, lines: long.map((line) => ({ kind: 'added', text: line })) }],
  lines: 20 + long.length,
});
const other = (window: FileChange['window'], more: Partial<FileChange> = {}) =>
  change(window.from, window.to, { tool: 'move', subject: 'b → c', preview: null, ...more });

/** For each file, why its steps are not merged. */
const causes = (changes: FileChange[], unclear: Parameters<typeof changedFiles>[1] = []) =>
  Object.fromEntries(
    changedFiles(changes, unclear).map(({ path, steps }) => [path, steps.map((step) => step.notMerged)]),
  );

it('two changes of a file, one after the other, are one diff with both calls', () => {
  const [file, ...rest] = changedFiles([change(9, 10), change(1, 2)], []);
  expect(rest).toEqual([]);
  expect(file).toMatchObject({ machineId: 'm1', path: 'a.txt', steps: [{ notMerged: null }] });
  expect(file?.steps[0]?.calls.map(({ requestId }) => requestId)).toEqual(['r1', 'r9']);
  expect(file?.steps[0]?.preview).toMatchObject({
    added: 2,
    removed: 2,
    hunks: [{ oldStart: 1 }, { oldStart: 9 }],
  });
});

it.each<[string, string, FileChange[]]>([
  ['one has no text', 'noText', [change(9, 10, { preview: null })]],
  ['one has no text before', 'notWhole', [change(9, 10, { preview: text })]],
  ['one has no place', 'notWhole', [change(9, 10, { preview: diffOf(9, ['x', 'y'], { lines: undefined }) })]],
  ['it found another text', 'otherText', [change(9, 10, { preview: diffOf(1, ['x', 'y']) })]],
  [
    'it found another length',
    'otherText',
    [change(9, 10, { preview: diffOf(9, ['x', 'y'], { lines: 21 }) })],
  ],
  ['it was made before the other had ended', 'otherCall', [change(2, 10)]],
  ['a third one has run somewhere in that time', 'otherCall', [change(9, 10), change(5, 30)]],
  ['something was moved in between', 'otherCall', [other({ from: 4, to: 5 }), change(9, 10)]],
  [
    'several files were undone in between',
    'otherCall',
    [
      other(
        { from: 4, to: 5 },
        {
          tool: 'undo_change',
          preview: diffOf(1, ['x', 'y'], {
            path: '2 files',
            hunks: [
              { file: 'a.txt', lines: [] },
              { file: 'b.txt', lines: [{ kind: 'added', text: 'x' }] },
            ],
          }),
        },
      ),
      change(9, 10),
    ],
  ],
  [
    'a text that is not known went to a file that is not known',
    'otherCall',
    [other({ from: 4, to: 5 }, { tool: 'write_file', subject: '/home/ada/a.txt' }), change(9, 10)],
  ],
  [
    'both together are too long',
    'tooLong',
    [
      change(9, 10, { preview: many }),
      change(13, 14, {
        preview: {
          ...many,
          hunks: many.hunks.map((hunk) => ({ ...hunk, oldStart: 3_010, newStart: 3_010 })),
          lines: 20 + 2 * long.length,
        },
      }),
    ],
  ],
])('CF-31 changes are shown one after the other where %s', (_what, cause, more) => {
  expect(causes([change(1, 2), ...more])['a.txt']?.filter((one) => one !== null)[0]).toBe(cause);
});

it('CF-31 a call that is not known to have changed nothing is as one that did', () => {
  const two = [change(1, 2), change(9, 10)];
  const lost = { machineId: 'm1', subject: 'a.txt', window: { from: 5, to: Infinity } };
  expect(causes(two, [lost])).toEqual({ 'a.txt': [null, 'otherCall'] });
  expect(causes(two, [{ ...lost, subject: 'zzz' }])).toEqual({ 'a.txt': [null, 'otherCall'] });
  // Of another machine, before both, after both, or of another file that is known.
  const away = [
    { ...lost, machineId: 'm2' },
    { ...lost, window: { from: 11, to: Infinity } },
    { ...lost, window: { from: 0, to: 0 } },
  ];
  expect(causes(two, away)).toEqual({ 'a.txt': [null] });
  const another = change(20, 21, { subject: 'b.txt', preview: diffOf(1, ['x', 'y'], { path: 'b.txt' }) });
  expect(causes([...two, another], [{ ...lost, subject: 'b.txt' }])).toEqual({
    'b.txt': [null],
    'a.txt': [null],
  });
});

it('files of two machines are two, the last changed comes first, without those that stay as they were', () => {
  const unchanged = diffOf(1, ['x', 'y'], { path: 'same.txt', hunks: [] });
  const files = changedFiles(
    [
      change(5, 6, { machineId: 'm2' }),
      change(1, 2),
      change(7, 8, { subject: 'same.txt', preview: unchanged }),
      // Known by its argument, though nothing of its text is.
      change(9, 10, { preview: null }),
    ],
    [],
  );
  expect(files.map(({ machineId, path, steps }) => [machineId, path, steps.length])).toEqual([
    ['m1', 'a.txt', 2],
    ['m2', 'a.txt', 1],
  ]);
});

const callAt = (at: number): FileCall => ({
  requestId: `r${at}`,
  machineId: 'm1',
  tool: 'write_file',
  subject: `${at}.txt`,
  state: 'succeeded',
  started: 1,
  createdAt: at,
  endedAt: at,
});
const filesOf = (calls: FileCall[], previewOf: (requestId: string) => Preview) =>
  readFiles(
    {
      store: {
        fileCalls: async () => calls,
        results: async (ids) =>
          ids.map((requestId) => ({
            requestId,
            result: JSON.stringify({
              _meta: { 'drawbridge/allowed': { rules: [], preview: previewOf(requestId) } },
            }),
          })),
      },
      confirmations: { approved: async () => [] },
    },
    'ada',
    { from: 0, to: 1_000_000 },
  );

it('names 100 files of the newest 300 calls, and counts the others', async () => {
  const calls = Array.from({ length: 310 }, (_, at) => callAt(1_000 - at));
  const { files, left } = await filesOf(calls, (id) => diffOf(1, ['x', 'y'], { path: `${id}.txt` }));
  expect([files.length, files[0]?.path, left]).toEqual([
    recapFilesLimits.files,
    'r1000.txt',
    { files: recapFilesLimits.calls - recapFilesLimits.files, calls: 10 },
  ]);
});

it('reads 2 MiB of previews', async () => {
  const calls = Array.from({ length: 10 }, (_, at) => callAt(100 - at));
  const large = 'x'.repeat(recapFilesLimits.previews / 8);
  const { files, left } = await filesOf(calls, (id) => ({
    ...text,
    path: id,
    text: large.slice(0, 200_000),
  }));
  expect([files.length, left.calls]).toEqual([10, 0]);
  const halves = await filesOf(calls, (id) =>
    diffOf(1, [large.slice(0, 60_000), 'y'], {
      path: id,
      hunks: [
        {
          lines: Array.from({ length: 5 }, () => ({ kind: 'added' as const, text: large.slice(0, 60_000) })),
        },
      ],
    }),
  );
  expect([halves.files.length, halves.left.calls]).toEqual([6, 4]);
});

it.each<[string, Partial<FileCall>, string[]]>([
  ['is another change of it in that time', { createdAt: 5, endedAt: 6 }, ['r1 r5 r9']],
  ['was made before that time and ran in it', { createdAt: -5, endedAt: 6 }, ['r1', 'r9']],
  ['was made before that time and is open', { createdAt: -5, endedAt: null, state: 'running' }, ['r1', 'r9']],
  ['was lost', { createdAt: -5, endedAt: 0, state: 'lost' }, ['r1', 'r9']],
  ['was cancelled before it began', { createdAt: 5, endedAt: 6, state: 'cancelled', started: 0 }, ['r1 r9']],
])('CF-31 a call on the same file that %s', async (_what, more, expected) => {
  const calls = [9, 5, 1].map((at) => ({ ...callAt(at), subject: 'a.txt', ...(at === 5 && more) }));
  const { files } = await filesOf(calls, (id) => diffOf(Number(id.slice(1)), ['x', 'y']));
  const merged = files[0]?.steps.map((step) => step.calls.map(({ requestId }) => requestId).join(' '));
  expect(merged).toEqual(expected);
});

it('CF-31 merges nothing where there are more calls than it looks at', async () => {
  const calls = (count: number) =>
    Array.from({ length: count }, (_, at): FileCall => ({
      ...callAt(count - at),
      subject: 'a.txt',
      state: at < 2 ? 'succeeded' : 'lost',
      started: at < 2 ? 1 : 0,
    }));
  const stepsAt = async (count: number) => {
    const { files } = await filesOf(calls(count), (id) => diffOf((Number(id.slice(1)) % 2) + 1, ['x', 'y']));
    return files[0]?.steps.map((step) => step.notMerged);
  };
  expect(await stepsAt(recapFilesLimits.looked - 1)).toEqual([null]);
  expect(await stepsAt(recapFilesLimits.looked)).toEqual([null, 'otherCall']);
});
