import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open as openFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fill, makeFolder, open, pageOf, write } from '../../test/support/journal-fixture.ts';
import { diedDuring } from './lost.ts';

describe('the journal', () => {
  it('tells the next process what waits, what is lost, and what was never started', async () => {
    const folder = makeFolder();
    await fill(await open(folder));
    const next = await open(folder);
    expect(next.recovered).toEqual({
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
      { kind: 'done', id: 'waiting', body: '"waiting"' },
      { kind: 'done', id: 'started', body: diedDuring },
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
    const { waiting, lost } = (await open(folder)).recovered;
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
    expect((await open(folder)).recovered.lost).toEqual(['kept']);
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

  it('does not start what it cannot record, keeps results, and recovers without a restart', async () => {
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
    expect((await open(folder)).recovered.lost).toEqual(['a']);
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
      const known = new Map<string, 'started' | 'done' | 'settled'>();
      let journal = await open(folder, { pageBytes: 300, waitingCount: 10, waitingLength: 1e6 });
      for (const { id, kind } of steps) {
        const now = known.get(id);
        if (kind === 'started' && now === undefined) {
          await journal.started(id, write);
          known.set(id, 'started');
        }
        if (kind === 'done' && now === 'started') {
          await journal.done(id, '"done"');
          known.set(id, 'done');
        }
        if (kind === 'taken' && now === 'done') {
          journal.taken(id);
          known.set(id, 'settled');
        }
        if (kind !== 'restart') continue;
        await journal.close();
        journal = await open(folder, { pageBytes: 300, waitingCount: 10, waitingLength: 1e6 });
        for (const [one, state] of known) if (state === 'started') known.set(one, 'done');
      }
      const kinds = [...known.keys()].map((id) => [id, journal.get(id)?.kind]);
      expect(kinds).toEqual([...known]);
      await journal.close();
      rmSync(folder, { recursive: true });
    }),
    { numRuns: 30 },
  );
});
