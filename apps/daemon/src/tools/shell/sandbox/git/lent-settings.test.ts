import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../../e2e/services.ts';
import { makeFolders } from '../../../../../test/support/tool-fixture.ts';
import type { Repository } from '../protected-places.ts';
import { lendSettings } from './lent-settings.ts';

const plain = '[core]\n\tbare = false\n';
const person = '[user]\n\tname = x\n';
const added = '[user]\n\tname = "x"\n';

/** One repository with this config, and a command that gets a place for its settings. */
const open = (config = plain, more: { kind?: Repository['kind']; closed?: string[]; name?: string } = {}) => {
  const { base, root, outside } = makeFolders();
  const folder = join(root, more.name ?? 'work', '.git');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'config');
  writeFileSync(path, config);
  const temporary = join(base, 'temporary');
  mkdirSync(temporary);
  const lend = (closed = more.closed ?? []) =>
    lendSettings(
      {
        root,
        temporary,
        inside: temporary,
        git: '/usr/bin/git',
        closed: closed.map((one) => join(root, one)),
      },
      [{ folder, kind: more.kind ?? 'whole' }],
    );
  const place = join(temporary, '.drawbridge-git/0');
  return {
    base,
    root,
    outside,
    folder,
    path,
    place,
    lend,
    write: (text: string) => writeFileSync(join(place, 'config'), text),
    config: () => readFileSync(path, 'utf8'),
  };
};

it('what a command writes is added at the end of the config', () => {
  const { lend, write, config } = open();
  const lent = lend();
  write(person);
  expect(lent.collect([])).toEqual(['Added to work/.git/config: user.name = x.']);
  expect(config()).toBe(plain + added);
});

const notLent: [string, () => ReturnType<typeof open>][] = [
  ['an empty one, which may be a stand-in', () => open('')],
  ['one of more than 64 KiB', () => open(`${plain}#${'x'.repeat(64 * 1024)}\n`)],
  ['one with extensions', () => open(`${plain}[extensions]\n\tworktreeConfig = true\n`)],
  ['one of a working tree', () => open(plain, { kind: 'worktree' })],
  ['one in a folder whose name has a line break', () => open(plain, { name: 'a\n[alias]\nx = !y' })],
  ['one that a rule denies', () => open(plain, { closed: ['work/.git/config'] })],
  ['one below a folder that a rule denies', () => open(plain, { closed: ['work'] })],
  [
    'a link',
    () => {
      const all = open();
      renameSync(all.path, join(all.outside, 'config'));
      symlinkSync(join(all.outside, 'config'), all.path);
      return all;
    },
  ],
  [
    'one with a second name',
    () => {
      const all = open();
      linkSync(all.path, join(all.outside, 'config'));
      return all;
    },
  ],
];

it.each(notLent)('SH-83 nothing is added to a config: %s', (_, make) => {
  const { lend, config } = make();
  const before = config();
  const { text, variables, collect } = lend();
  expect([text, variables, collect([]), config()]).toEqual(['', {}, [], before]);
});

it('SH-83 at most 20 repositories have a place', () => {
  const { base, root } = makeFolders();
  const repositories = Array.from({ length: 21 }, (_, at): Repository => {
    const folder = join(root, `${at}/.git`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config'), plain);
    return { folder, kind: 'whole' };
  });
  const needs = { root, temporary: base, inside: base, git: '/usr/bin/git', closed: [] };
  const { text } = lendSettings(needs, repositories);
  expect(text.match(/path = /g)?.length).toBe(40);
  expect([19, 20].map((at) => existsSync(join(base, '.drawbridge-git', String(at))))).toEqual([true, false]);
});

type World = ReturnType<typeof open>;
/** What another program does while the command runs; the config of the person is read afterwards. */
const meanwhile: [string, (world: World) => unknown][] = [
  [
    'is replaced by a link',
    ({ path, outside }) => {
      renameSync(path, join(outside, 'config'));
      symlinkSync(join(outside, 'config'), path);
    },
  ],
  ['gets a second name', ({ path, outside }) => linkSync(path, join(outside, 'config'))],
  [
    'is replaced by a named pipe',
    ({ path, outside }) => {
      renameSync(path, join(outside, 'config'));
      execFileSync('mkfifo', [path]);
    },
  ],
  ['is locked by another git', ({ path }) => writeFileSync(`${path}.lock`, '')],
  [
    'lies behind a link by now',
    ({ folder, outside }) => {
      renameSync(folder, join(outside, 'git'));
      symlinkSync(join(outside, 'git'), folder);
    },
  ],
];

it.each(meanwhile)('SH-83 nothing is added to a config that %s', (_, change) => {
  const world = open();
  const lent = world.lend();
  world.write(person);
  change(world);
  expect(lent.collect([])).toEqual([
    'Nothing was added to work/.git/config: it is being changed by another program. Run the command again.',
  ]);
  for (const path of [join(world.outside, 'config'), join(world.outside, 'git/config')])
    if (existsSync(path)) expect(readFileSync(path, 'utf8')).toBe(plain);
});

it('SH-83 nothing is added to a config that was replaced while the command ran', () => {
  const { lend, write, path, config } = open();
  const lent = lend();
  write(person);
  expect([lent.collect([path]), config()]).toEqual([[], plain]);
});

/** What a command puts in the place of its settings. */
const instead: [string, (world: World) => unknown][] = [
  [
    'a link',
    ({ place, outside }) => (
      renameSync(join(place, 'config'), join(place, 'x')),
      symlinkSync(join(outside, 'config'), join(place, 'config'))
    ),
  ],
  [
    'a link above them',
    ({ place, outside }) => (renameSync(place, `${place}x`), symlinkSync(outside, place)),
  ],
  ['more than 64 KiB', ({ write }) => write(`${person}#${'x'.repeat(64 * 1024)}`)],
  ['nothing', ({ place }) => renameSync(place, `${place}x`)],
];

it.each(instead)(
  'SH-83 a file that a command cannot see is not read through its settings: %s',
  (_, change) => {
    const world = open();
    const lent = world.lend();
    writeFileSync(
      join(world.outside, 'config'),
      `${person}[url "https://token@example.org"]\n\tinsteadOf = x\n`,
    );
    change(world);
    expect([lent.collect([]), world.config()]).toEqual([
      ['Nothing was added to work/.git/config: what the command wrote is no plain file.'],
      plain,
    ]);
  },
);

describeWith('git')('an addition after a last line that is continued', () => {
  it('SH-83 stands on lines of its own', () => {
    const { lend, write, path, root } = open(`${plain}[x]\n\ty = z\\`);
    const lent = lend();
    write('[core]\n\tquotepath = true\n');
    lent.collect([]);
    const read = (key: string) =>
      execFileSync('git', ['config', '-f', path, key], { cwd: root, encoding: 'utf8' });
    expect([read('x.y'), read('core.quotepath')]).toEqual(['z\n', 'true\n']);
  });
});

it('SH-83 settings that an included file has are not added', () => {
  const { lend, write, folder, config } = open(`${plain}[include]\n\tpath = more\n`);
  writeFileSync(join(folder, 'more'), '[remote "up"]\n\turl = https://example.org/x\n');
  const before = config();
  const lent = lend();
  write('[remote "up"]\n\turl = https://example.org/y\n');
  expect([lent.collect([]), config()]).toEqual([
    [
      'Not added to work/.git/config, because it is there already or a command may not set it: remote.up.url.',
    ],
    before,
  ]);
});

it('names of a long list are not all shown', () => {
  const { lend, write } = open();
  const lent = lend();
  write(Array.from({ length: 12 }, (_, at) => `[x${at}]\n\ty = z\n`).join(''));
  expect(lent.collect([]).join()).toMatch(/x9\.y and 2 more\.$/);
});
