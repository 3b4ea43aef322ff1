import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandsFor } from '../../../test/chores.ts';
import { startServer } from '../../../test/server.ts';
import { findUnsafe, type Process } from './own-folder.ts';

const unsafe = (path: string) =>
  expect.objectContaining({
    code: 'DATA_FOLDER_UNSAFE',
    message: expect.stringContaining(path),
    fix: expect.stringContaining('DATA_DIR'),
  });

const newPlace = () => {
  const home = mkdtempSync(join(tmpdir(), 'own-folder-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const above = join(home, 'above');
  const folder = join(above, 'data');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { home, above, folder };
};
type Place = ReturnType<typeof newPlace>;

const me: Process = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, isInContainer: false };
const container: Process = { ...me, isInContainer: true };
/** Another user of the machine. */
const another: Process = { ...me, uid: 54_321, gid: 54_321 };

const mode = (path: keyof Place, bits: number) => (place: Place) => chmodSync(place[path], bits);
const file = (name: string, bits: number) => (place: Place) => {
  writeFileSync(join(place.folder, name), '');
  chmodSync(join(place.folder, name), bits);
};
const linked = (bits: number) => (place: Place) => {
  const other = join(place.home, 'other');
  mkdirSync(other);
  symlinkSync(place.folder, join(other, 'data'));
  chmodSync(other, bits);
  place.folder = join(other, 'data');
};

describe('NK-02: a data folder', () => {
  it.each<[string, (place: Place) => void, Process, boolean]>([
    ['of mode 700', () => {}, me, true],
    ['of mode 755', mode('folder', 0o755), me, true],
    ['of mode 777', mode('folder', 0o777), me, false],
    ['of mode 1777', mode('folder', 0o1777), me, false],
    ['of mode 770', mode('folder', 0o770), me, false],
    ['of mode 702', mode('folder', 0o702), me, false],
    ['below a folder of mode 777', mode('above', 0o777), me, false],
    ['below a folder of mode 1777, as /tmp', mode('above', 0o1777), me, true],
    ['below a folder that the own group can write', mode('above', 0o775), { ...me, gid: me.gid }, true],
    [
      'below a folder that another group can write',
      mode('above', 0o775),
      { ...me, gid: 54_321 },
      me.gid === 0,
    ],
    ['with a secret that others can write', file('auth-secret', 0o602), me, false],
    ['with a store that a group can write', file('drawbridge.db', 0o660), me, false],
    ['with a secret that others can read', file('auth-secret', 0o644), me, true],
    ['through a link in a folder of mode 777', linked(0o777), me, false],
    ['through a link in a folder of mode 700', linked(0o700), me, true],
    ['of a container, of mode 755', mode('folder', 0o755), container, true],
    ['of a container, of mode 2775 for the group of a volume', mode('folder', 0o2775), container, true],
    ['of a container, of mode 1777, as a tmpfs', mode('folder', 0o1777), container, true],
    ['of a container, of mode 777', mode('folder', 0o777), container, false],
    ['of a container, below a volume of mode 777', mode('above', 0o777), container, true],
    ['of a container, of another user', () => {}, { ...container, uid: 54_321 }, true],
  ])('%s', (_, prepare, who, isSafe) => {
    const place = newPlace();
    prepare(place);
    expect(findUnsafe(place.folder, who)).toEqual(isSafe ? null : unsafe(''));
  });

  it.runIf(me.uid === 0)('of another user, or below one, is refused: it needs root to make one', () => {
    for (const path of ['folder', 'above'] as const) {
      const place = newPlace();
      chownSync(place[path], another.uid, 0);
      expect(findUnsafe(place.folder, me)).toEqual(unsafe(place[path]));
      // Of root, or its own: root could do anything anyway.
      expect(findUnsafe(place.folder, another)).toBeNull();
    }
  });

  it('that is unsafe starts no server and serves no command, and each names the fix', async () => {
    const { folder, above } = newPlace();
    chmodSync(folder, 0o777);
    const refused = {
      code: 'DATA_FOLDER_UNSAFE',
      message: expect.stringContaining(`every user can write to ${folder}`),
      fix: expect.stringContaining(`chmod go-w '${folder}'`),
    };
    await expect(startServer({ dataDir: folder })).rejects.toMatchObject(refused);
    await expect(commandsFor(folder).restore(above)).rejects.toMatchObject(refused);
    writeFileSync(join(folder, 'auth-secret'), 'x'.repeat(43), { mode: 0o600 });
    const { doctor, listUsers, out } = commandsFor(folder);
    await expect(listUsers({ json: true })).rejects.toMatchObject(refused);
    await doctor({ json: true });
    process.exitCode = 0;
    expect(out()).toContain(`every user can write to ${folder}`);
  });
});
