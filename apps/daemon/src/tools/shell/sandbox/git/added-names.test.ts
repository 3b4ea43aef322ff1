import { expect, it } from 'vitest';
import { readGitSettings } from '../../../../paths/git/config-text.ts';
import { addedSettings, nameOf } from './added-settings.ts';

const present = `
[core]
	autocrlf = false
[remote "origin"]
	url = https://example.org/x
[branch "main"]
	remote = origin
[branch "pushes"]
	pushRemote = origin
[branch "rebases"]
	rebase = true
`;

/** What is added of these lines, as `name=value`. */
const addedOf = (lines: string): string[] =>
  addedSettings(readGitSettings(lines), readGitSettings(present)).added.map(
    (one) => `${nameOf(one)}=${one.value}`,
  );

const isAdded = [
  '[user]\nname = Ada',
  '[remote "up"]\nurl = https://example.org/x.git',
  '[remote "up"]\nurl = git@example.org:ada/x.git',
  '[remote "up"]\nurl = ssh://git@example.org:2222/x',
  '[remote "up"]\nfetch = +refs/heads/*:refs/remotes/up/*',
  '[remote "up"]\ntagOpt = --no-tags',
  '[branch "x"]\nremote = origin',
  '[branch "x"]\nremote = .',
  '[branch "x"]\nmerge = refs/heads/a/b',
  '[branch "x"]\nrebase = true',
  '[branch "rebases"]\nmerge = refs/heads/a',
  '[branch "x"]\ndescription = a b',
  '[submodule "a/b"]\nactive = true',
  '[submodule "a/b"]\nurl = ../b.git',
];

it.each(isAdded)('is added: %j', (lines) => {
  expect(addedOf(lines)).toHaveLength(1);
});

const isRefused = [
  '[user]\nname',
  `[user]\nname = ${'x'.repeat(1_001)}`,
  '[user]\nname = "a\u202Eb"',
  '[user]\nname = "a\\nb"',
  '[user]\nsigningKey = x',
  '[user "x"]\nname = x',
  '[core]\nautocrlf = true',
  '[core]\nfsmonitor = x',
  '[remote "up"]\nuploadpack = x',
  '[remote "up"]\npushurl = https://example.org/x',
  '[remote "origin"]\ntagOpt = --tags',
  '[remote "a/b"]\nurl = https://example.org/x',
  '[remote "-x"]\nurl = https://example.org/x',
  '[remote "up"]\nurl =',
  '[remote "up"]\nurl = ext::x',
  '[remote "up"]\nurl = ext://x',
  '[remote "up"]\nurl = -x',
  '[remote "up"]\nurl = node_modules/x.git',
  '[remote "up"]\nurl = ../x:y.git',
  '[remote "up"]\nurl = /x.git',
  '[remote "up"]\nurl = file:///x.git',
  '[remote "up"]\nfetch = +refs/heads/*:refs/heads/*',
  '[remote "up"]\nfetch = +refs/heads/*:refs/remotes/origin/*',
  '[remote "up"]\nfetch = refs/heads/*:refs/remotes/up/*:x',
  '[remote "up"]\nfetch = HEAD:refs/remotes/up/x',
  '[remote "up"]\ntagOpt = -x',
  '[branch "x"]\nremote = other',
  '[branch "x"]\nmerge = main',
  '[branch "x"]\nmerge = "refs/heads/a b"',
  '[branch "x"]\nrebase = interactive',
  '[branch "main"]\nmerge = refs/heads/other',
  '[branch "pushes"]\nremote = origin',
  '[branch "a b"]\ndescription = x',
  '[submodule "../x"]\nurl = https://example.org/x',
  '[submodule "x"]\nactive = maybe',
  '[submodule "x"]\nurl = ext::x',
  '[submodule "x"]\nurl =',
  '[submodule "x"]\nupdate = !x',
];

it.each(isRefused)('SH-83 is not added: %j', (lines) => {
  expect(addedOf(lines)).toEqual([]);
});

it('SH-83 the first value of a key counts, and no more than 100 are added', () => {
  expect(addedOf('[user]\nname = a\nname = b\n[remote "up"]\nurl = https://a\nurl = https://b')).toEqual([
    'user.name=a',
    'remote.up.url=https://a',
  ]);
  const many = Array.from({ length: 101 }, (_, at) => `[remote "r${at}"]\nurl = https://a`).join('\n');
  expect(addedOf(many)).toHaveLength(100);
});
