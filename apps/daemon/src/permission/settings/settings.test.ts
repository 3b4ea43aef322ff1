import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultModes } from '@drawbridge/contracts/groups';
import { createFakeClock, nextMacrotask, systemClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Rule } from '../rules/rule.ts';
import { openSettings } from './settings.ts';
import { repeatedKey } from '../../private-files/repeated-key.ts';

const ruleFor = (resource: string): Rule => ({ toolGroup: 'filesystemWrite', resource });

const made = (resource: string): Rule => ({ ...ruleFor(resource), madeAt: '2026-01-01T00:00:00.000Z' });

const makeFolder = () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'drawbridge-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return { base, folder: join(base, 'own'), file: join(base, 'own/settings.json') };
};

const withText = (text: string) => {
  const made = makeFolder();
  mkdirSync(made.folder, { mode: 0o700 });
  writeFileSync(made.file, text, { mode: 0o600 });
  return made;
};

const whole = JSON.stringify({
  version: 1,
  modes: { shell: 'ask', filesystemRead: 'deny' },
  rules: { allow: [ruleFor('/w/a')], deny: [ruleFor('/w/b')] },
});

describe('settings', () => {
  it('starts with the defaults and writes nothing', async () => {
    const { folder, file } = makeFolder();
    const settings = await openSettings(folder, systemClock);
    expect([settings.modes(), settings.rules(), existsSync(file)]).toEqual([
      defaultModes,
      { allow: [], deny: [] },
      false,
    ]);
  });

  it('keeps rules over a restart, without repeats, and takes them back', async () => {
    const { folder } = makeFolder();
    const first = await openSettings(folder, createFakeClock());
    await Promise.all([
      first.addRules('deny', [ruleFor('/w/a'), ruleFor('/w/a')]),
      first.addRules('allow', [ruleFor('/w/b')]),
      first.addRules('deny', [ruleFor('/w/a'), ruleFor('/w/c')]),
    ]);
    const second = await openSettings(folder, createFakeClock());
    expect(second.rules()).toEqual({ allow: [made('/w/b')], deny: [made('/w/a'), made('/w/c')] });
    expect(await second.removeRule('deny', ruleFor('/w/a'))).toBe(true);
    expect(await second.removeRule('deny', ruleFor('/w/a'))).toBe(false);
    await first.refresh();
    expect(first.rules()).toEqual({ allow: [made('/w/b')], deny: [made('/w/c')] });
  });

  it('an edit counts for whatever comes in after it', async () => {
    const { folder } = withText(whole);
    const settings = await openSettings(folder, systemClock);
    await settings.refresh();
    writeFileSync(join(folder, 'settings.json'), '{"version":1}');
    await nextMacrotask();
    await settings.refresh();
    expect(settings.rules()).toEqual({ allow: [], deny: [] });
  });

  it('reads a file from before rules had a reach and a time', async () => {
    const { folder } = withText(whole);
    const settings = await openSettings(folder, systemClock);
    expect([settings.rules(), settings.remoteRules()]).toEqual([
      { allow: [ruleFor('/w/a')], deny: [ruleFor('/w/b')] },
      false,
    ]);
  });

  it('PS-01 refuses a file that was cut at any byte, and keeps it', async () => {
    for (let length = 0; length < whole.length; length += 1) {
      const { folder, file } = withText(whole.slice(0, length));
      await expect(openSettings(folder, systemClock)).rejects.toMatchObject({
        code: 'SETTINGS_BROKEN',
        message: expect.stringContaining(file),
      });
      expect(readFileSync(file, 'utf8')).toBe(whole.slice(0, length));
    }
  });

  it.each([
    ['garbage', '\u0000\u0001', /settings\.json: /],
    ['another shape', '[]', /the whole file/],
    ['a newer version', '{"version":2}', /version: /],
    ['an unknown key', '{"version":1,"mode":{}}', /unknown fields: "mode"/],
    ['an unknown mode', '{"version":1,"modes":{"shell":"yes"}}', /modes\.shell: /],
    ['an unknown group', '{"version":1,"modes":{"everything":"allow"}}', /modes: .*everything/],
    [
      'BR-03 the own browser',
      '{"version":1,"browser":{"mode":"local"}}',
      /browser\.mode: your own browser is not offered.*Use persistent/,
    ],
    ['an unknown browser', '{"version":1,"browser":{"mode":"mine"}}', /browser\.mode: must be one of/],
    [
      'a rule without a group',
      '{"version":1,"rules":{"deny":[{"resource":"/a"}]}}',
      /rules\.deny\.0\.toolGroup: /,
    ],
    [
      'a key twice',
      '{"version":1,"modes":{"shell":"deny","sh\\u0065ll":"allow"}}',
      /the key "shell" stands there twice/,
    ],
    [
      'SS-15 a public suffix with its subdomains',
      '{"version":1,"rules":{"allow":[{"toolGroup":"browser","resource":"github.io","reach":"subdomains"}]}}',
      /rules\.allow\.0: github\.io cannot have the reach subdomains/,
    ],
    [
      'a path that is no folder',
      '{"version":1,"rules":{"allow":[{"toolGroup":"filesystemRead","resource":"/w","reach":"folder"}]}}',
      /rules\.allow\.0: \/w cannot have the reach folder/,
    ],
    [
      'a reach of another group',
      '{"version":1,"rules":{"allow":[{"toolGroup":"shell","resource":"/w/","reach":"folder"}]}}',
      /rules\.allow\.0: \/w\/ cannot have the reach folder/,
    ],
    [
      'a reach that is unknown',
      '{"version":1,"rules":{"allow":[{"toolGroup":"shell","resource":"ls","reach":"prefix"}]}}',
      /rules\.allow\.0\.reach: /,
    ],
  ])('PS-01 refuses %s and names the place', async (_case, text, message) => {
    const { folder } = withText(text);
    await expect(openSettings(folder, systemClock)).rejects.toMatchObject({
      code: 'SETTINGS_BROKEN',
      message: expect.stringMatching(message),
    });
  });

  it('PS-02 an acknowledged denial survives a kill at any moment', async () => {
    const { folder } = makeFolder();
    const script = `
      import { systemClock } from '@drawbridge/kit';
      import { openSettings } from ${JSON.stringify(new URL('./settings.ts', import.meta.url).href)};
      const settings = await openSettings(process.argv[1], systemClock);
      for (let at = 0; ; at += 1) {
        await settings.addRules('deny', [{ toolGroup: 'shell', resource: 'rule ' + at }]);
        process.stdout.write(at + '\\n');
      }`;
    for (const kills of [1, 7, 20]) {
      const run = spawn(process.execPath, ['--input-type=module', '-e', script, folder], {
        cwd: import.meta.dirname,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      run.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.split('\n').length > kills) run.kill('SIGKILL');
      });
      await once(run, 'close');
      const acknowledged = output.split('\n').slice(0, -1);
      expect(acknowledged.length).toBeGreaterThanOrEqual(kills);
      const stored = (await openSettings(folder, systemClock)).rules().deny.map((rule) => rule.resource);
      expect(stored).toEqual(expect.arrayContaining(acknowledged.map((at) => `rule ${at}`)));
    }
  });

  it('PS-04 narrows the modes of folder and file', async () => {
    const { folder, file } = withText(whole);
    chmodSync(folder, 0o777);
    chmodSync(file, 0o666);
    const settings = await openSettings(folder, systemClock);
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    await settings.addRules('allow', [ruleFor('/w/z')]);
    expect([statSync(file).mode & 0o777, readdirSync(folder)]).toEqual([
      0o600,
      ['settings.json', 'settings.lock'],
    ]);
  });

  it('PS-04 refuses a link in place of the folder or the file', async () => {
    const { base, folder, file } = withText(whole);
    symlinkSync(folder, join(base, 'link'));
    await expect(openSettings(join(base, 'link'), systemClock)).rejects.toMatchObject({
      code: 'SETTINGS_UNSAFE',
    });
    rmSync(file);
    writeFileSync(join(base, 'elsewhere'), whole);
    symlinkSync(join(base, 'elsewhere'), file);
    await expect(openSettings(folder, systemClock)).rejects.toMatchObject({ code: 'SETTINGS_UNSAFE' });
  });
});

describe('repeated keys', () => {
  it.each([
    ['{"a":1,"b":{"a":2}}', undefined],
    ['[{"a":1},{"a":1}]', undefined],
    ['{"a":"\\"a\\":1","b":["a","a"]}', undefined],
    ['{"x":{"a":1,"b":2,"a" : 3}}', 'a'],
    ['{"a":1,"b":[{}],"a":2}', 'a'],
  ])('in %s: %s', (text, key) => {
    expect(repeatedKey(text)).toBe(key);
  });
});

it('puts groups that are on deny on ask, and touches no other', async () => {
  const settings = await openSettings(makeFolder().folder, systemClock);
  await settings.activate(['shell', 'filesystemRead', 'browser']);
  const kept: unknown = JSON.parse(readFileSync(join(settings.folder, 'settings.json'), 'utf8'));
  expect(kept).toMatchObject({ modes: { shell: 'ask' } });
  expect([settings.modes().filesystemRead, settings.modes().browser]).toEqual(['allow', 'ask']);
});
