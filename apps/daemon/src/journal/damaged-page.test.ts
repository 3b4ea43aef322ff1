import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clock, fill, makeFolder, open, pageOf } from '../../test/support/journal-fixture.ts';
import { diedDuring, missingFromJournal } from './lost.ts';
import { readPage } from './read-page.ts';
import { headBytes } from './record.ts';

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
    expect(next.recovered).toEqual({
      waiting: [
        { requestId: 'waiting', body: diedDuring },
        { requestId: 'started', body: diedDuring },
        { requestId: 'received', body: missingFromJournal },
      ],
      lost: ['waiting', 'started', 'received'],
      paths: ['/w/a', '/w/a'],
      broken: expect.stringMatching(/journal\.broken-\d+$/),
    });
    expect(readFileSync(next.recovered.broken ?? '')).toEqual(bytes);
    expect([next.isDoubtful(), next.get('taken')]).toEqual([true, { kind: 'settled', body: '"taken"' }]);
    await next.close();
  });

  it('stays in mind for a day, also after another start', async () => {
    const { folder, bytes } = await filled();
    writeFileSync(pageOf(folder), bytes.subarray(0, headBytes + 5));
    await (await open(folder)).close();
    const journal = await open(folder);
    expect([journal.isDoubtful(), journal.recovered.broken]).toEqual([true, null]);
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
      // What came after the last sync was promised to no caller.
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
