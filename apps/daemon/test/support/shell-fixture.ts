import { spawn } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import { shared } from './clean-up.ts';
import { everythingAllowed, makeFolders, textOf, openTools, type ToolsOptions } from './tool-fixture.ts';

/** What `shell_execute` gives. */
export const shellOutput = z.object({
  stdout: z.string(),
  stderr: z.string(),
  exitCode: z.number().nullable(),
  notes: z.array(z.string()).optional(),
});
/** A question or an error is told as it is. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(text);
  }
};
const node = JSON.stringify(process.execPath);

/** A real shell in a real sandbox: `run` gives a command's output, `script` runs Node. `word` is outside. */
export const openShell = async (folders = makeFolders(), more: Pick<ToolsOptions, 'closed'> = {}) => {
  const modes = { ...everythingAllowed, shell: 'allow' as const };
  const world = await openTools({ modes, folders, ...more });
  writeFileSync(join(folders.outside, 'secret.txt'), 'sesame');
  const run = async (command: string, more: Record<string, unknown> = {}) =>
    shellOutput.parse(parsed(textOf(await world.call('shell_execute', { command, ...more }))));
  const script = (text: string) => run(`${node} -e '${text.replaceAll("'", String.raw`'\''`)}'`);
  return { ...world, run, script };
};

/** One such shell for the tests of a `describe`: each gets it with an empty root. */
export const sharedShell = () => {
  const shell = shared(() => openShell());
  return () => {
    const { root } = shell();
    for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true, force: true });
    return shell();
  };
};

const ownUser = process.getuid?.() ?? 0;
/** Users that a test can be: only root can become another one. */
export const testUsers: readonly number[] = ownUser === 0 ? [0, 12_345] : [ownUser];

/** Runs one command in the sandbox, in a program of this user; its result in JSON once it has ended. */
export const runAs = (
  uid: number,
  { base, root, own: privateFolder }: ReturnType<typeof makeFolders>,
  text: string,
): Promise<string> => {
  const at = (name: string) => JSON.stringify(join(import.meta.dirname, '../../src/tools/shell', name));
  const program = `
    import { systemClock } from '@drawbridge/kit';
    import { createSandboxedLauncher } from ${at('launch.ts')};
    import { runCommand } from ${at('run-command.ts')};
    const ended = await runCommand({
      tag: '${nanoid()}', text: ${JSON.stringify(text)}, cwd: ${JSON.stringify(root)}, timeoutMs: 60_000, clock: systemClock,
      signal: new AbortController().signal, deniedPaths: { read: [], write: [] }, progress: () => undefined,
    }, createSandboxedLauncher(${JSON.stringify({ root, privateFolder })}));
    console.log(JSON.stringify(ended));`;
  if (ownUser === 0) for (const folder of [base, root, privateFolder]) chownSync(folder, uid, uid);
  chmodSync(base, 0o755);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(import.meta.dirname, '../..'),
    env: { HOME: base, PATH: '/usr/bin:/bin', TMPDIR: base },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(ownUser === 0 && { uid, gid: uid }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
};
