import { spawn } from 'node:child_process';
import { chmodSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import { nanoid } from 'nanoid';
import type { makeFolders } from './tool-fixture.ts';

const own = process.getuid?.() ?? 0;
/** Users that a test can be: only root can become another one. */
export const testUsers: readonly number[] = own === 0 ? [0, 12_345] : [own];

/** Runs one command in the sandbox, in a program of this user; its result in JSON once it has ended. */
export const runAs = (
  uid: number,
  { base, root, own: privateFolder }: ReturnType<typeof makeFolders>,
  text: string,
): Promise<string> => {
  const at = (name: string) => JSON.stringify(join(import.meta.dirname, '../tools/shell', name));
  const program = `
    import { systemClock } from '@drawbridge/kit';
    import { createSandboxedLauncher } from ${at('launch.ts')};
    import { runCommand } from ${at('run-command.ts')};
    const ended = await runCommand({
      tag: '${nanoid()}', text: ${JSON.stringify(text)}, cwd: ${JSON.stringify(root)}, timeoutMs: 60_000, clock: systemClock,
      signal: new AbortController().signal, deniedPaths: { read: [], write: [] }, progress: () => undefined,
    }, createSandboxedLauncher(${JSON.stringify({ root, privateFolder })}));
    console.log(JSON.stringify(ended));`;
  if (own === 0) for (const folder of [base, root, privateFolder]) chownSync(folder, uid, uid);
  chmodSync(base, 0o755);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(import.meta.dirname, '../..'),
    env: { HOME: base, PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(own === 0 && { uid, gid: uid }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
};
