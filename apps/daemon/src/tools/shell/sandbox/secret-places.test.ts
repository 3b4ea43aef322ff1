import { expect, it } from 'vitest';
import { secretPlaces } from './secret-places.ts';

/** What agents, editors and clouds of today keep in the home folder. */
const named = [
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.gemini',
  '.mcp-auth',
  '.config/github-copilot',
  '.cache/huggingface/token',
  '.oci',
  '.databrickscfg',
  '.fly',
  '.pulumi',
  '.config/Code/User/globalStorage',
  '.config/Cursor/User/globalStorage',
  '.viminfo',
  '.lesshst',
];

it('has what agents, editors and clouds keep, each place once and below the home folder', () => {
  const places = secretPlaces('/home/ann', 'linux');
  expect(named.filter((path) => !places.includes(`/home/ann/${path}`))).toEqual([]);
  expect([new Set(places).size, places.filter((path) => !path.startsWith('/home/ann/'))]).toEqual([
    places.length,
    [],
  ]);
  const onMac = secretPlaces('/Users/ann', 'darwin');
  expect(onMac).toContain('/Users/ann/Library/Application Support/Code/User/globalStorage');
});
