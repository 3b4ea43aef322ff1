import { describe, expect, it } from 'vitest';
import type { Environment } from '../../config.ts';
import { readOptions, type ParsedLine } from './options.ts';

const nothing: Environment = {
  url: undefined,
  token: undefined,
  dir: undefined,
  name: undefined,
  nonInteractive: undefined,
  confirm: undefined,
  allowInsecureHttp: undefined,
  dangerouslyDisableShellSandbox: undefined,
  browser: undefined,
  keyStore: undefined,
  link: undefined,
  install: undefined,
  shell: '/bin/bash',
  permissions: {},
  noColor: false,
  path: '/usr/bin',
  privateFolder: '/home/me/.drawbridge',
};
const bare: ParsedLine = { url: undefined, token: undefined, dir: undefined, flags: {} };

describe('options', () => {
  it('takes the line before the environment', () => {
    const line = {
      url: 'https://a.example',
      token: 'gw_line',
      dir: '/line',
      flags: { nonInteractive: true, confirm: 'terminal', browser: 'persistent', permissionShell: 'ask' },
    };
    const environment: Environment = {
      ...nothing,
      url: 'https://b.example',
      token: 'gw_environment',
      dir: '/environment',
      nonInteractive: '0',
      confirm: 'panel',
      browser: 'ephemeral',
      permissions: { shell: 'allow', browser: 'deny' },
    };
    expect(readOptions(line, environment)).toEqual({
      url: new URL('https://a.example'),
      token: 'gw_line',
      dir: '/line',
      nonInteractive: true,
      confirm: 'terminal',
      shellSandbox: true,
      offerOutside: false,
      closed: [],
      browser: 'persistent',
      keyStore: null,
      link: 'socket',
      name: null,
      install: null,
      modes: { shell: 'ask', browser: 'deny' },
    });
  });

  it('reads all of it from the environment', () => {
    const environment: Environment = {
      ...nothing,
      url: 'http://192.168.1.5',
      token: 'gw_environment',
      dir: '/environment',
      nonInteractive: 'true',
      confirm: 'terminal',
      allowInsecureHttp: '1',
      dangerouslyDisableShellSandbox: '1',
      permissions: { filesystemRead: 'ask' },
    };
    expect(readOptions(bare, environment)).toEqual({
      url: new URL('http://192.168.1.5'),
      token: 'gw_environment',
      dir: '/environment',
      nonInteractive: true,
      confirm: 'terminal',
      shellSandbox: false,
      offerOutside: false,
      closed: [],
      browser: null,
      keyStore: null,
      link: 'socket',
      name: null,
      install: null,
      modes: { filesystemRead: 'ask' },
    });
  });

  it.each<[string, Partial<Environment>]>([
    ['the folder', { dir: '--permission-shell=allow' }],
    ['the token', { token: '--permission-shell=allow' }],
  ])('reads flags in %s as a value', (_name, environment) => {
    const options = readOptions(bare, { ...nothing, ...environment });
    expect(options).toMatchObject({ ...environment, modes: {}, nonInteractive: false });
  });

  it.each<[string, Partial<Environment>, Partial<ParsedLine>, string]>([
    [
      'an unknown mode',
      { permissions: { filesystemWrite: 'yes' } },
      {},
      'DRAWBRIDGE_PERMISSION_FILESYSTEM_WRITE is yes',
    ],
    ['an unknown switch value', { nonInteractive: 'maybe' }, {}, 'DRAWBRIDGE_NON_INTERACTIVE is maybe'],
    ['an unknown profile', { browser: 'mine' }, {}, '--browser is mine'],
    ['BR-03 the own browser by the environment', { browser: 'local' }, {}, 'your own browser is not offered'],
    [
      'BR-03 the own browser by a flag',
      { browser: 'persistent' },
      { flags: { browser: 'local' } },
      'your own browser is not offered',
    ],
    ['an unknown place to confirm', { confirm: 'nowhere' }, {}, '--confirm is nowhere'],
    ['an invalid address', { url: '--auto-confirm' }, {}, 'Not an address'],
    ['a folder given twice', {}, { dir: '/a', flags: { dir: '/b' } }, 'The folder is given twice'],
    ['a token with a line break', { token: 'gw_a\r\nx: y' }, {}, 'The token contains invalid characters'],
  ])('refuses %s', (_name, environment, line, reason) => {
    expect(() => readOptions({ ...bare, ...line }, { ...nothing, ...environment })).toThrow(reason);
  });

  it('never repeats a token in an error', () => {
    const token = 'gw_secret secret';
    expect(() => readOptions({ ...bare, token }, nothing)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    );
  });

  it('--read-only puts everything but reading on deny, whatever the environment says', () => {
    const environment = { ...nothing, permissions: { shell: 'allow', filesystemRead: 'deny' } };
    const denied = {
      filesystemWrite: 'deny',
      shell: 'deny',
      network: 'deny',
      computer: 'deny',
      browser: 'deny',
      mcp: 'deny',
      runtime: 'deny',
      system: 'deny',
    };
    const read = (flags: Record<string, unknown>) =>
      readOptions({ ...bare, flags: { readOnly: true, ...flags } }, environment).modes;
    expect(read({})).toEqual({ ...denied, filesystemRead: 'allow' });
    expect(read({ permissionFilesystemRead: 'ask' })).toEqual({ ...denied, filesystemRead: 'ask' });
    expect(() => read({ permissionShell: 'ask' })).toThrow('contradict each other');
  });

  it.each([['flag'], ['variable']])('takes no other key store from a %s', (from) => {
    const line = { ...bare, flags: from === 'flag' ? { keyStore: 'cloud' } : {} };
    expect(() => readOptions(line, { ...nothing, keyStore: 'cloud' })).toThrow('The key store is cloud');
  });
});
