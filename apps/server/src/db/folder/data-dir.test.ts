import { expect, it } from 'vitest';
import { chooseDataDir, type DataDirPlaces } from './data-dir.ts';

const places = (change: Partial<DataDirPlaces>): DataDirPlaces => ({
  given: undefined,
  dataHome: undefined,
  home: () => '/home/ann',
  cwd: '/src/drawbridge',
  exists: () => false,
  ...change,
});
const holds = (path: string) => (asked: string) => asked === path;

it.each<[string, Partial<DataDirPlaces>, string]>([
  ['the given folder', { given: './store', exists: () => true }, '/src/drawbridge/store'],
  ['a folder of the person', {}, '/home/ann/.local/share/drawbridge'],
  ['where XDG_DATA_HOME says', { dataHome: '/data/ann' }, '/data/ann/drawbridge'],
  [
    'the given folder of a user without a home folder',
    {
      given: '/data',
      home: () => {
        throw new Error('ENOENT');
      },
    },
    '/data',
  ],
  ['a relative XDG_DATA_HOME as none', { dataHome: 'share' }, '/home/ann/.local/share/drawbridge'],
  [
    './data where a server has run',
    { dataHome: '/data/ann', exists: holds('/src/drawbridge/data/auth-secret') },
    '/src/drawbridge/data',
  ],
  [
    './data where a store was put',
    { exists: holds('/src/drawbridge/data/drawbridge.db') },
    '/src/drawbridge/data',
  ],
  ['not an empty ./data', { exists: holds('/src/drawbridge/data') }, '/home/ann/.local/share/drawbridge'],
])('takes %s', (_, change, expected) => {
  expect(chooseDataDir(places(change))).toBe(expected);
});
