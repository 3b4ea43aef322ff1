import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { createLog, createScrubber } from '../../program/log.ts';
import { readLocalFolder, startLocalMachine } from './local-machine.ts';

const newFolders = () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'drawbridge-local-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [data, shown] = [join(base, 'data'), join(base, 'shown')];
  mkdirSync(data);
  mkdirSync(shown);
  return { base, data, shown };
};
const refused = { code: 'BAD_REQUEST' };

it('never offers the store of the server, by no path and no link', () => {
  const { base, data, shown } = newFolders();
  mkdirSync(join(data, 'inside'));
  symlinkSync(base, join(shown, 'link'));
  for (const folder of [data, base, join(data, 'inside'), join(shown, 'link'), join(shown, 'missing')]) {
    const read = () => readLocalFolder(folder, data);
    expect(read, folder).toThrow(expect.objectContaining(refused));
  }
  expect(readLocalFolder(shown, data)).toBe(shown);
});

const silent = createLog({ level: 'silent', format: 'json', scrubber: createScrubber([]), write: () => {} });

it('stops where its daemon could not be started', async () => {
  const { data, shown } = newFolders();
  rmSync(shown, { recursive: true });
  const failed = Promise.withResolvers<unknown>();
  const machine = startLocalMachine({
    folder: shown,
    store: { dataDir: data },
    program: { args: ['program.cjs'], output: 'ignore' },
    host: '127.0.0.1',
    port: () => 5820,
    clock: systemClock,
    gateway: { pairing: { createServerToken: async () => 'gw_1' } },
    ownerId: async () => 'ann',
    log: silent,
    onError: failed.resolve,
  });
  expect(await failed.promise).toMatchObject({ code: 'ENOENT' });
  await machine.stop();
});

it('gives the daemon a token once the owner is there, NG-05b where the store is, and nothing of its environment', async () => {
  const { data, shown } = newFolders();
  const program = join(shown, 'program.cjs');
  writeFileSync(
    program,
    "require('node:fs').writeFileSync('told.json', JSON.stringify({ ...process.env, words: process.argv.slice(2) })); setInterval(() => {}, 1000);",
  );
  process.env.GATEWAY_API_KEY = 'a key of the server';
  onTestFinished(() => {
    delete process.env.GATEWAY_API_KEY;
  });
  let owner: string | null = null;
  const asked: string[] = [];
  const machine = startLocalMachine({
    folder: shown,
    store: { dataDir: data },
    program: { args: [program], output: 'ignore' },
    host: '0.0.0.0',
    port: () => 5820,
    clock: systemClock,
    gateway: {
      pairing: {
        createServerToken: async (userId) => {
          asked.push(userId);
          return 'gw_1';
        },
      },
    },
    ownerId: async () => owner,
    log: silent,
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(machine.stop);
  owner = 'ann';
  const told = () => {
    try {
      return JSON.parse(readFileSync(join(shown, 'told.json'), 'utf8')) as NodeJS.ProcessEnv;
    } catch {
      return null;
    }
  };
  await expect.poll(told).toMatchObject({
    DRAWBRIDGE_URL: 'http://127.0.0.1:5820/',
    DRAWBRIDGE_TOKEN: 'gw_1',
    HOME: join(data, 'local-machine'),
  });
  expect(told()).not.toHaveProperty('GATEWAY_API_KEY');
  // In its arguments, because a command can see variables of the daemon.
  expect(told()).toHaveProperty('words', ['connect', '--closed', data]);
  expect(asked).toEqual(['ann']);
});
