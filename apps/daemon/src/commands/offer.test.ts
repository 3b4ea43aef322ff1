import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { openSettings } from '../permission/index.ts';
import { createOffer } from './offer.ts';

it('FS-23 a mode that the file sets to deny while the daemon runs holds for the next call', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drawbridge-offer-'));
  const root = await mkdtemp(join(tmpdir(), 'drawbridge-offer-root-'));
  await writeFile(join(root, 'a.txt'), 'one');
  const settings = await openSettings(folder, systemClock);
  const modes = { ...settings.modes(), shell: 'ask' as const };
  const offer = await createOffer({
    clock: systemClock,
    settings,
    modes,
    ask: { kind: 'panel' },
    root,
    families: { say: () => {} },
    sayOfRules: () => {},
  });
  const read = (requestId: string) =>
    offer.dispatch(
      { requestId, toolCall: { name: 'read_file', arguments: { filePath: 'a.txt' } } },
      {
        signal: new AbortController().signal,
        progress: () => {},
        starting: async () => {},
        large: async () => {},
      },
    );

  expect((await read('one')).isError).not.toBe(true);
  await writeFile(
    join(settings.folder, 'settings.json'),
    JSON.stringify({ version: 1, modes: { filesystemRead: 'deny' } }),
    { mode: 0o600 },
  );
  expect(await read('two')).toMatchObject({ isError: true, _meta: { 'drawbridge/outcome': 'denied' } });
});
