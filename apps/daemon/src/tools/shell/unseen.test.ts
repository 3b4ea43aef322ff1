import { expect, it } from 'vitest';
import { noteOfUnseen } from './unseen.ts';

const look = () => ({
  sees: (path: string) => path.startsWith('/usr') || path.startsWith('/w'),
  isClosed: (path: string) => path.startsWith('/home/ada/.drawbridge') || path.startsWith('/srv/data'),
});
const fails = (path: string) => `cat: ${path}: No such file or directory`;

it.each<[string, string, string, boolean]>([
  ['cat /data/set.csv', fails('/data/set.csv'), '/data/set.csv', true],
  // What failed is in the output; what is only named may be there.
  ['cat /home/ada/.gitconfig /data/set.csv', fails('/data/set.csv'), '/data/set.csv', true],
  ['cat /srv/data/auth-secret', fails('/srv/data/auth-secret'), '/srv/data/auth-secret', false],
  ['ls /home/ada/.drawbridge', fails('/home/ada/.drawbridge'), '/home/ada/.drawbridge', false],
  ['cat /home/ada/.ssh/id_ed25519', fails('/home/ada/.ssh/id_ed25519'), '/home/ada/.ssh/id_ed25519', false],
  [
    'cat /home/ada/.aws/credentials',
    fails('/home/ada/.aws/credentials'),
    '/home/ada/.aws/credentials',
    false,
  ],
])(
  'of %s the note names %3$s, and how it is opened unless it may hold keys',
  (command, output, path, isAdvised) => {
    const note = noteOfUnseen(command, { output, look });
    expect(note).toContain(`and not ${path}.`);
    expect(note?.includes('sandbox add')).toBe(isAdvised);
  },
);

it.each([
  ['of what a command sees', 'cat /w/x', fails('/w/x')],
  ['where nothing was missing', 'cat /data/x', 'cat: /data/x: Is a directory'],
])('says nothing %s', (_, command, output) => {
  expect(noteOfUnseen(command, { output, look })).toBeUndefined();
});
