import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open as openFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openJournal, type Journal, type JournalLimits } from './journal.ts';
import { diedDuring, missingFromJournal } from './lost.ts';
import { readPage } from './read-page.ts';
import { headBytes } from './record.ts';

const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const clock = createFakeClock();
const open = async (folder: string, limits?: JournalLimits) => {
  const journal = await openJournal({ folder, clock, ...(limits && { limits }) });
  onTestFinished(journal.close);
  return journal;
};
const pageOf = (folder: string) => join(folder, 'journal');
const write = { tool: 'write_file', paths: ['/w/a'] };

/** One call after the other: received, started, done or not, taken or not. */
const fill = async (journal: Journal) => {
  for (const id of ['taken', 'waiting', 'started']) journal.received(id, 'write_file');
  for (const id of ['taken', 'waiting', 'started']) await journal.started(id, write);
  for (const id of ['taken', 'waiting']) await journal.done(id, `"${id}"`);
  journal.taken('taken');
  journal.received('received', 'write_file');
  journal.received('dropped', 'write_file');
  journal.dropped('dropped');
  await journal.close();
};

describe('the journal', () => {
  it('tells the next process what waits, what is lost, and what was never started', async () => {
    const folder = makeFolder();
    await fill(await open(folder));
    const next = await open(folder);
    expect(next.found).toEqual({
      waiting: [
        { requestId: 'waiting', body: '"waiting"' },
        { requestId: 'started', body: diedDuring },
      ],
      lost: ['started'],
      paths: ['/w/a'],
      broken: null,
    });
    const ids = ['taken', 'waiting', 'started', 'received', 'dropped', 'other'];
    expect(ids.map((id) => next.get(id))).toEqual([
      { kind: 'settled', body: '"taken"' },
      { kind: 'waiting', body: '"waiting"' },
      { kind: 'waiting', body: diedDuring },
      undefined,
      undefined,
      undefined,
    ]);
    expect(next.isDoubtful()).toBe(false);
    await next.close();
  });

  it('says the same again when the next process dies before the server heard of it', async () => {
    const folder = makeFolder();
    await fill(await open(folder));
    const second = await open(folder);
    await second.started('more', write);
    await second.close();
    const { waiting, lost } = (await open(folder)).found;
    expect(waiting.map(({ requestId }) => requestId)).toEqual(['waiting', 'started', 'more']);
    expect(lost).toEqual(['more']);
  });

  it('has each start on the disk before it says so', async () => {
    const folder = makeFolder();
    const journal = await open(folder);
    for (const id of ['a', 'b']) {
      await journal.started(id, write);
      expect(readFileSync(pageOf(folder), 'utf8')).toContain(`{"kind":"started","id":"${id}"`);
    }
    await journal.close();
    expect(statSync(pageOf(folder)).mode & 0o777).toBe(0o600);
  });

  it('syncs once for all that is said in one turn, and not for what may be lost', async () => {
    const folder = makeFolder();
    const handle = await openFile(folder);
    const sync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'datasync');
    onTestFinished(() => sync.mockRestore());
    await handle.close();
    const journal = await open(folder);
    await journal.started('first', write);
    const ids = Array.from({ length: 50 }, (_item, at) => `r${at}`);
    await Promise.all(ids.map((id) => journal.started(id, write)));
    await Promise.all(ids.map((id) => journal.done(id, '"x"')));
    for (const id of ids) journal.taken(id);
    await journal.close();
    expect(sync).toHaveBeenCalledTimes(2);
  });

  it('touches no disk for a call that it does not know', async () => {
    const folder = makeFolder();
    const journal = await open(folder);
    journal.taken('read');
    journal.dropped('read');
    await journal.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('writes a page anew when more was added than it shall hold, with what still counts', async () => {
    const folder = makeFolder();
    const journal = await open(folder, { pageBytes: 10_000, waitingCount: 10, waitingLength: 1e6 });
    await journal.started('kept', write);
    for (let count = 0; count < 200; count += 1) {
      await journal.started(`r${count}`, write);
      await journal.done(`r${count}`, JSON.stringify('x'.repeat(1_000)));
      journal.taken(`r${count}`);
    }
    await journal.close();
    // 200 settled results of 1,000 characters, and what was added since.
    expect(statSync(pageOf(folder)).size).toBeLessThan(200 * 1_300 + 12_000);
    expect(readFileSync(pageOf(folder), 'utf8').match(/"id":"r0"/g)).toHaveLength(2);
    expect((await open(folder)).found.lost).toEqual(['kept']);
  });

  it.each([
    ['results', { pageBytes: 1e6, waitingCount: 2, waitingLength: 1e6 }],
    ['characters of results', { pageBytes: 1e6, waitingCount: 100, waitingLength: 12 }],
  ])(
    'refuses to start more when too many %s wait, and goes on when they are taken',
    async (_what, limits) => {
      const journal = await open(makeFolder(), limits);
      for (const id of ['a', 'b']) {
        await journal.started(id, write);
        await journal.done(id, '"0123"');
      }
      await expect(journal.started('c', write)).rejects.toMatchObject({ code: 'JOURNAL_FULL' });
      journal.taken('a');
      await journal.started('c', write);
      await journal.close();
    },
  );

  it('lets old settled results go, and remembers that they were', async () => {
    const journal = await open(makeFolder());
    const body = JSON.stringify('x'.repeat(1024 * 1024));
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      await journal.started(id, write);
      await journal.done(id, body);
      journal.taken(id);
    }
    expect(['a', 'b', 'c'].map((id) => journal.get(id))).toEqual([
      { kind: 'settled', body: null },
      { kind: 'settled', body: null },
      { kind: 'settled', body },
    ]);
    await journal.close();
  });

  it('remembers 1,000 calls that were only received', async () => {
    const journal = await open(makeFolder());
    for (let count = 0; count <= 1_000; count += 1) journal.received(`r${count}`, 'write_file');
    const known = ['r0', 'r1', 'r1000'].map((id) => journal.get(id)?.kind);
    expect(known).toEqual([undefined, 'received', 'received']);
    await journal.close();
  });

  it('does not start what it cannot write down, keeps results, and recovers by itself', async () => {
    const folder = makeFolder();
    // Stands where the new page is written: the disk refuses.
    mkdirSync(join(folder, 'journal.new'));
    const journal = await open(folder);
    await expect(journal.started('a', write)).rejects.toMatchObject({ code: 'JOURNAL_FAILED' });
    expect(journal.get('a')).toBeUndefined();
    expect(existsSync(pageOf(folder))).toBe(false);
    rmSync(join(folder, 'journal.new'), { recursive: true });
    await journal.started('a', write);
    await journal.close();
    expect((await open(folder)).found.lost).toEqual(['a']);
  });
});

describe('a damaged page', () => {
  const filled = async () => {
    const folder = makeFolder();
    await fill(await open(folder));
    return { folder, bytes: readFileSync(pageOf(folder)) };
  };

  it('is set aside and reported; what may have run is lost, and nothing is forgotten', async () => {
    const { folder, bytes } = await filled();
    const at = bytes.indexOf('"kind":"done","id":"waiting"');
    bytes[at] = 0x20;
    writeFileSync(pageOf(folder), bytes);
    const next = await open(folder);
    expect(next.found).toEqual({
      waiting: [
        { requestId: 'waiting', body: diedDuring },
        { requestId: 'started', body: diedDuring },
        { requestId: 'received', body: missingFromJournal },
      ],
      lost: ['waiting', 'started', 'received'],
      paths: ['/w/a', '/w/a'],
      broken: expect.stringMatching(/journal\.broken-\d+$/),
    });
    expect(readFileSync(next.found.broken ?? '')).toEqual(bytes);
    expect([next.isDoubtful(), next.get('taken')]).toEqual([true, { kind: 'settled', body: '"taken"' }]);
    await next.close();
  });

  it('stays in mind for a day, also after another start', async () => {
    const { folder, bytes } = await filled();
    writeFileSync(pageOf(folder), bytes.subarray(0, headBytes + 5));
    await (await open(folder)).close();
    const journal = await open(folder);
    expect([journal.isDoubtful(), journal.found.broken]).toEqual([true, null]);
    clock.advance(24 * 60 * 60_000);
    expect(journal.isDoubtful()).toBe(false);
  });

  it('keeps the last three of them', async () => {
    const folder = makeFolder();
    for (let count = 0; count < 5; count += 1) {
      writeFileSync(pageOf(folder), `garbage ${count}\n`);
      clock.advance(1);
      await (await open(folder)).close();
    }
    const kept = readdirSync(folder)
      .filter((name) => name.includes('broken'))
      .toSorted();
    expect(kept.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
      'garbage 2\n',
      'garbage 3\n',
      'garbage 4\n',
    ]);
  });

  it.each([
    ['empty', ''],
    ['garbage', 'hello'],
    ['zeros', '\0'.repeat(4_096)],
  ])('%s is broken', (_what, text) => {
    expect(readPage(Buffer.from(text))).toEqual({ records: [], broken: true });
  });

  it('cut at any byte, it is seen, and nothing that is left is misread', async () => {
    const { bytes } = await filled();
    const { records } = readPage(bytes);
    const tail = bytes.lastIndexOf('"kind":"taken"') - '01234567 {'.length;
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = readPage(bytes.subarray(0, length));
      expect(cut.records).toEqual(records.slice(0, cut.records.length));
      // What came after the last sync was promised to nobody.
      expect([length, cut.broken]).toEqual([length, length < tail]);
    }
  });

  it('with any bit turned, it is seen, or only its unsynced tail is shorter', async () => {
    const { bytes } = await filled();
    const { records } = readPage(bytes);
    const whole = new Set(records.map((record) => JSON.stringify(record)));
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
        const turned = Buffer.from(bytes);
        turned[at] = (turned[at] ?? 0) ^ (1 << bit);
        const found = readPage(turned);
        expect(found.records.every((record) => whole.has(JSON.stringify(record)))).toBe(true);
        expect(found.broken || at === bytes.length - 1).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

it('whatever happened before a kill, no start is forgotten and no result', async () => {
  const step = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    kind: fc.constantFrom<'started' | 'done' | 'taken' | 'restart'>('started', 'done', 'taken', 'restart'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const folder = mkdtempSync(join(tmpdir(), 'drawbridge-journal-'));
      const known = new Map<string, 'started' | 'waiting' | 'settled'>();
      let journal = await open(folder, { pageBytes: 300, waitingCount: 10, waitingLength: 1e6 });
      for (const { id, kind } of steps) {
        const now = known.get(id);
        if (kind === 'started' && now === undefined) {
          await journal.started(id, write);
          known.set(id, 'started');
        }
        if (kind === 'done' && now === 'started') {
          await journal.done(id, '"done"');
          known.set(id, 'waiting');
        }
        if (kind === 'taken' && now === 'waiting') {
          journal.taken(id);
          known.set(id, 'settled');
        }
        if (kind !== 'restart') continue;
        await journal.close();
        journal = await open(folder, { pageBytes: 300, waitingCount: 10, waitingLength: 1e6 });
        for (const [one, state] of known) if (state === 'started') known.set(one, 'waiting');
      }
      const kinds = [...known.keys()].map((id) => [id, journal.get(id)?.kind]);
      expect(kinds).toEqual([...known]);
      await journal.close();
      rmSync(folder, { recursive: true });
    }),
    { numRuns: 30 },
  );
});
