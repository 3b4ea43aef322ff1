import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { newDataFolder } from '../../test/server.ts';
import { createMetaStore, migrate, openDatabase } from '../db/index.ts';
import { createSealer } from '../secrets/index.ts';
import { loadVapid } from './index.ts';

const open = async () => {
  const dataDir = await newDataFolder();
  const { db, close } = openDatabase({ url: undefined, dataDir });
  await migrate(db);
  onTestFinished(async () => {
    await close();
    rmSync(dataDir, { recursive: true });
  });
  const meta = createMetaStore(db);
  return {
    dataDir,
    meta,
    load: (secret = 'one') => loadVapid({ meta, sealer: createSealer(secret), dataDir }),
  };
};

it('servers that start together on one store have one pair, which is sealed', async () => {
  const { meta, load } = await open();
  const [first, second] = await Promise.all([load(), load()]);
  expect(second).toEqual(first);
  expect(await load()).toEqual(first);
  expect(await meta.find('vapid')).not.toContain(first?.privateKey);
});

it('the pair of an earlier release moves into the store', async () => {
  const { dataDir, load } = await open();
  const pair = { publicKey: 'public', privateKey: 'private' };
  const file = join(dataDir, 'vapid.json');
  writeFileSync(file, JSON.stringify(pair));
  expect([await load(), await load()]).toEqual([pair, pair]);
  expect(existsSync(file)).toBe(false);
});

it('another secret has another pair', async () => {
  const { load } = await open();
  const first = await load();
  const second = await load('two');
  expect(second).not.toEqual(first);
  expect(await load('two')).toEqual(second);
});
