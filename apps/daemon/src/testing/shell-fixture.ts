import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { shared } from './clean-up.ts';
import { everythingAllowed, makeFolders, textOf, openTools } from './tool-fixture.ts';

const output = z.object({
  stdout: z.string(),
  stderr: z.string(),
  exitCode: z.number().nullable(),
  notes: z.array(z.string()).optional(),
});
const node = JSON.stringify(process.execPath);

/** A real shell in a real sandbox: `run` gives a command's output, `script` runs Node. `word` is outside. */
export const openShell = async (folders = makeFolders()) => {
  const world = await openTools({ modes: { ...everythingAllowed, shell: 'allow' }, folders });
  writeFileSync(join(folders.outside, 'secret.txt'), 'sesame');
  const run = async (command: string, more: Record<string, unknown> = {}) =>
    output.parse(JSON.parse(textOf(await world.call('shell_execute', { command, ...more }))));
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
