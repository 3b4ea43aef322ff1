import { expect, it } from 'vitest';
import { readRepositories, toGitResource } from './repositories.ts';

const read = (repository: string, access: 'fetch' | 'push' = 'fetch') =>
  readRepositories([{ repository, access }]).map(toGitResource);

it.each([
  'github.com/ada/../demo',
  'github.com/..',
  'github.com/ada/.',
  'github.com/ada//demo',
  'github.com/ada/demo;x',
  "github.com/ada/demo'x",
  'github.com/-x/demo',
  '169.254.169.254/ada/demo',
  'local:169.254.169.254/ada/demo',
  '-oProxyCommand=x@github.com/ada/demo',
])('SH-76, SH-80 %j is no repository', (repository) => {
  expect(() => read(repository)).toThrow('is not a repository');
});

it('SH-76 a login is for exactly what was named, and deny rules for its host forbid it', () => {
  expect(read('github.com:8443/ada/demo')).toMatchObject([
    {
      resource: 'git fetch github.com:8443/ada/demo',
      explicit: true,
      aliases: ['github.com:8443', 'github.com'],
      includedIn: 'git push github.com:8443/ada/demo',
    },
  ]);
  expect(read('github.com/ada/demo', 'push')).toMatchObject([
    { explicit: true, aliases: ['github.com', 'git fetch github.com/ada/demo'] },
  ]);
});
