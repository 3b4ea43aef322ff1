import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog, createLogFile, logPath, maxLogBytes, olderLogs } from './index.ts';

const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
const tail = 'AbCdEfGhIjKlMnOpQrStUvWxYz012345';
const clock = createFakeClock();

describe('the log', () => {
  it('LG-02 PS-04 is a file 0600 in a folder 0700, also where it was wider', async () => {
    const folder = makeFolder();
    const log = createLog({ privateFolder: folder, clock });
    log.write('connected');
    await log.settled();
    const modes = () =>
      [statSync(join(folder, 'logs')), statSync(logPath(folder))].map(({ mode }) => mode & 0o777);
    expect(modes()).toEqual([0o700, 0o600]);
    rmSync(logPath(folder));
    writeFileSync(logPath(folder), '', { mode: 0o644 });
    log.write('connected');
    await log.settled();
    expect(modes()).toEqual([0o700, 0o600]);
    expect(readFileSync(logPath(folder), 'utf8')).toBe(
      '{"at":"2026-01-01T00:00:00.000Z","event":"connected"}\n',
    );
  });

  it('LG-10 PS-04 is not written through a link that was put in its place', async () => {
    const folder = makeFolder();
    const other = join(folder, 'other');
    mkdirSync(join(folder, 'logs'));
    writeFileSync(other, '');
    symlinkSync(other, logPath(folder));
    const log = createLog({ privateFolder: folder, clock });
    log.write('connected');
    await log.settled();
    expect(readFileSync(other, 'utf8')).toBe('');
  });

  it('LG-06 has one line of ASCII for a record, whatever is in it', async () => {
    const folder = makeFolder();
    const log = createLog({ privateFolder: folder, clock });
    const text = 'x\n{"event":"forged"}\r\n\u2028\u2029\u001b[31m\u0085\u202e\u{e0041}é';
    log.write('note', { text });
    await log.settled();
    const written = readFileSync(logPath(folder), 'utf8');
    expect(written).toMatch(/^[\x20-\x7e]+\n$/);
    expect(JSON.parse(written)).toEqual({ at: '2026-01-01T00:00:00.000Z', event: 'note', text });
  });

  it('LG-01 LG-03 holds no key, by its look or because it is known', async () => {
    const folder = makeFolder();
    const log = createLog({ privateFolder: folder, clock });
    log.hide('plain-but-known-value');
    log.write('note', {
      text: `sess_${tail} gw_${tail} dbp_${tail} apiKey=${tail}`,
      deep: { text: 'plain-but-known-value' },
    });
    await log.settled();
    const written = readFileSync(logPath(folder), 'utf8');
    expect(written).not.toMatch(/AbCdEf|but-known/);
    expect(JSON.parse(written)).toMatchObject({ event: 'note' });
  });

  it('LG-02 is set aside when it is full; the oldest goes', async () => {
    const folder = makeFolder();
    const path = join(folder, 'logs/small.log');
    const file = createLogFile({ path, older: olderLogs, clock });
    for (let round = 1; round <= olderLogs + 3; round += 1) {
      for (let line = 0; line < 8; line += 1) {
        file.line(`${round} ${'x'.repeat(maxLogBytes / 8)}`);
        await file.settled();
      }
    }
    const names = readdirSync(join(folder, 'logs')).sort();
    expect(names).toEqual(['small.log.1', 'small.log.2', 'small.log.3', 'small.log.4']);
    expect(names.map((name) => readFileSync(join(folder, 'logs', name), 'utf8').slice(0, 2))).toEqual([
      '7 ',
      '6 ',
      '5 ',
      '4 ',
    ]);
    expect(statSync(`${path}.4`).mode & 0o777).toBe(0o600);
  });

  it('counts what it cannot keep while the disk is slow', async () => {
    const folder = makeFolder();
    const path = join(folder, 'a.log');
    const file = createLogFile({ path, older: 1, clock });
    for (let at = 0; at < 300; at += 1) file.line('x'.repeat(1_024));
    await file.settled();
    expect(readFileSync(path, 'utf8')).toMatch(/^… 44 lines left out …\n(x{1024}\n){256}$/);
  });
});
