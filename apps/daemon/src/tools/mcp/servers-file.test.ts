import { systemClock } from '@drawbridge/kit';
import { chmodSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolders } from '../../../test/support/tool-fixture.ts';
import { maxServers, openMcpServers } from './servers-file.ts';

const server = { command: 'node', args: ['a.js'], env: { KEY: 'v' } };
const open = async () => {
  const { own, outside } = makeFolders();
  return {
    own,
    outside,
    path: join(own, 'mcp-servers.json'),
    servers: await openMcpServers(own, systemClock),
  };
};
const whole = (servers: object, more: object = {}) => JSON.stringify({ version: 1, servers, ...more });

it('keeps what was added, and forgets what was removed', async () => {
  const { own, servers } = await open();
  expect(await servers.read()).toEqual(new Map());
  await servers.add('one', server);
  await servers.add('two', { ...server, command: 'other' });
  await servers.add('one', { ...server, args: [] });
  const again = await openMcpServers(own, systemClock);
  expect(await again.read()).toEqual(
    new Map([
      ['one', { ...server, args: [] }],
      ['two', { ...server, command: 'other' }],
    ]),
  );
  expect([await again.remove('one'), await again.remove('one'), await again.remove('constructor')]).toEqual([
    true,
    false,
    false,
  ]);
  expect([...(await servers.read()).keys()]).toEqual(['two']);
});

it('PS-04 is 0600 in a folder of 0700, also when they were wider, and leaves nothing beside it', async () => {
  const { own, path, servers } = await open();
  await servers.add('one', server);
  chmodSync(own, 0o755);
  chmodSync(path, 0o644);
  await (await openMcpServers(own, systemClock)).read();
  expect([statSync(own).mode & 0o777, statSync(path).mode & 0o777, readdirSync(own)]).toEqual([
    0o700,
    0o600,
    ['mcp-servers.json', 'settings.lock'],
  ]);
});

it('PS-04 is not read through a link', async () => {
  const { path, outside, servers } = await open();
  writeFileSync(join(outside, 'theirs.json'), whole({ one: server }));
  symlinkSync(join(outside, 'theirs.json'), path);
  await expect(servers.read()).rejects.toMatchObject({ code: 'SETTINGS_UNSAFE' });
});

it('PS-01 cut off at every byte it is refused, and kept as it is', async () => {
  const { path, servers } = await open();
  const text = whole({ one: server });
  for (let length = 0; length < text.length; length += 1) {
    writeFileSync(path, text.slice(0, length));
    await expect(servers.read()).rejects.toMatchObject({ code: 'SETTINGS_BROKEN' });
    await expect(servers.add('two', server)).rejects.toMatchObject({ code: 'SETTINGS_BROKEN' });
    expect(readFileSync(path, 'utf8')).toBe(text.slice(0, length));
  }
});

it.each([
  ['another version', JSON.stringify({ version: 2, servers: {} })],
  ['an unknown key', whole({}, { more: 1 })],
  ['an unknown key of a server', whole({ one: { ...server, shell: true } })],
  [
    'a key twice',
    `{"version":1,"servers":{"one":${JSON.stringify(server)},"one":${JSON.stringify(server)}}}`,
  ],
  ['no command', whole({ one: { ...server, command: '' } })],
  ['a command with a NUL', whole({ one: { ...server, command: 'a\0b' } })],
  ['an argument that is no text', whole({ one: { ...server, args: [1] } })],
  ['too many arguments', whole({ one: { ...server, args: Array(257).fill('a') } })],
  ['a name with a capital', whole({ One: server })],
  ['a name with an underscore', whole({ one_two: server })],
  ['a name that climbs', whole({ '../one': server })],
  ['a name that is too long', whole({ ['a'.repeat(33)]: server })],
  ['no name', whole({ '': server })],
  ['an invalid variable', whole({ one: { ...server, env: { 'A=B': '1' } } })],
  ['the mark of drawbridge', whole({ one: { ...server, env: { DRAWBRIDGE_CALL: '1' } } })],
  [
    'too many servers',
    whole(Object.fromEntries(Array.from({ length: maxServers + 1 }, (_, at) => [`s${at}`, server]))),
  ],
  ['a list', '[]'],
])('PS-01 a file with %s is refused', async (_name, text) => {
  const { path, servers } = await open();
  writeFileSync(path, text);
  await expect(servers.read()).rejects.toMatchObject({
    code: 'SETTINGS_BROKEN',
    message: expect.stringContaining(path),
  });
});

it('a server of the name __proto__ is refused', async () => {
  const { path, servers } = await open();
  writeFileSync(path, `{"version":1,"servers":{"__proto__":${JSON.stringify(server)}}}`);
  expect(await servers.read()).toEqual(new Map());
});

it('does not take more than it would read', async () => {
  const { servers } = await open();
  for (let at = 0; at < maxServers; at += 1) await servers.add(`s${at}`, server);
  await expect(servers.add('more', server)).rejects.toThrow();
  expect((await servers.read()).size).toBe(maxServers);
});
