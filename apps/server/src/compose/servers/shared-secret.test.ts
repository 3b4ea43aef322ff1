import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startServer } from '../../../test/server.ts';

const secret = 's'.repeat(40);

it('servers that share SECRET print one setup link; another SECRET is refused', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'drawbridge-secret-'));
  const first = await startServer({ dataDir, environment: { SECRET: secret, SETUP_TOKEN: '' } });
  const link = await first.app.setupLink();
  await first.app.close();
  const second = await startServer({ dataDir, environment: { SECRET: secret, SETUP_TOKEN: '' } });
  expect(new URL((await second.app.setupLink()) ?? '').hash).toBe(new URL(link ?? '').hash);
  await second.app.close();
  const other = startServer({ dataDir, environment: { SECRET: 'o'.repeat(40) } });
  await expect(other).rejects.toMatchObject({ code: 'OTHER_SECRET' });
});

it('a new auth-secret is accepted, with a warning', async () => {
  const first = await startServer();
  await first.app.close();
  rmSync(join(first.dataDir, 'auth-secret'));
  const second = await startServer({ dataDir: first.dataDir });
  expect(second.log.join('')).toContain('auth-secret is not the one');
  await second.app.close();
  const third = await startServer({ dataDir: first.dataDir });
  expect(third.log.join('')).not.toContain('auth-secret is not the one');
});
