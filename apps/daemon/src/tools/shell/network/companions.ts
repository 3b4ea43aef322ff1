import { readingsOf } from '../../../permission/index.ts';
import { words } from '../../../text/words.ts';

/** Hosts that one tool needs together: the first is the one that people know. */
const groups = [
  'registry.npmjs.org',
  'registry.yarnpkg.com',
  'pypi.org files.pythonhosted.org',
  'index.crates.io static.crates.io',
  'proxy.golang.org sum.golang.org',
  'rubygems.org index.rubygems.org',
  'repo.packagist.org api.github.com codeload.github.com',
  'repo.maven.apache.org repo1.maven.org',
  'api.nuget.org globalcdn.nuget.org',
  'github.com codeload.github.com objects.githubusercontent.com raw.githubusercontent.com',
  'nodejs.org registry.npmjs.org',
  'deno.land jsr.io',
].map((line) => words(line));

/** A host with those that a tool needs beside it. */
export const withCompanions = (host: string): string[] => {
  const group = groups.find((hosts) => hosts[0] === host) ?? groups.find((hosts) => hosts.includes(host));
  return group === undefined ? [host] : [...new Set([host, ...group])];
};

const npm = 'registry.npmjs.org';
const hostsOfProgram = new Map<string, string>(
  [
    [npm, 'npm npx pnpm pnpx yarn bun bunx corepack'],
    ['pypi.org', 'pip pip3 pipx uv uvx poetry'],
    ['index.crates.io', 'cargo'],
    ['proxy.golang.org', 'go'],
    ['rubygems.org', 'gem bundle'],
    ['repo.packagist.org', 'composer'],
    ['repo.maven.apache.org', 'mvn gradle'],
    ['api.nuget.org', 'dotnet'],
  ].flatMap(([host = '', programs = '']) =>
    words(programs).map((program): [string, string] => [program, host]),
  ),
);

/** The hosts of the package tools that a command starts, also as `python -m pip`. */
export const hostsOfTools = (command: string): string[] =>
  readingsOf(command)
    .map(({ program, words: all, from }) =>
      /^python[\d.]*$/.test(program) && all[from] === '-m' ? (all[from + 1] ?? '') : program,
    )
    .flatMap((program) => hostsOfProgram.get(program) ?? []);
