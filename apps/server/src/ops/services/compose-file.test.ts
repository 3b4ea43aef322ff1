import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { composeFile } from './compose-file.ts';

it('is the given one, else the first of this account in the folders', () => {
  const folder = mkdtempSync(join(tmpdir(), 'compose-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [beside, started] = [join(folder, 'beside'), join(folder, 'started')];
  for (const one of [beside, started]) mkdirSync(one);
  const uid = process.getuid?.();
  const found = (given: string | undefined = undefined, account = uid) =>
    composeFile({ given, folders: [beside, started], uid: account });
  expect(found()).toBeUndefined();
  mkdirSync(join(beside, 'compose.yaml'));
  for (const name of ['docker-compose.yml', 'compose.yml']) writeFileSync(join(started, name), '');
  expect(found()).toBe(join(started, 'compose.yml'));
  writeFileSync(join(beside, 'docker-compose.yml'), '');
  expect(found()).toBe(join(beside, 'docker-compose.yml'));
  expect(found('/srv/compose.yaml')).toBe('/srv/compose.yaml');
  expect(found('off')).toBeUndefined();
  // Another account's: those of root count for every account.
  const others = [join(beside, 'docker-compose.yml'), join(started, 'compose.yml')];
  rmSync(join(started, 'docker-compose.yml'));
  if (uid === 0) for (const file of others) chownSync(file, 65_534, 65_534);
  expect(found(undefined, uid === 0 ? 0 : (uid ?? 0) + 1)).toBe(uid === undefined ? others[0] : undefined);
});
