import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { everythingAllowed, makeFolders, textOf, tryOut } from '../try-out.ts';

const output = z.object({ stdout: z.string(), stderr: z.string(), exitCode: z.number().nullable() });
const node = JSON.stringify(process.execPath);

/** A real shell in a real sandbox: `run` gives what a command said, `script` runs a text with Node in it. A word lies outside the root. */
export const tryShell = async (folders = makeFolders()) => {
  const world = await tryOut({ modes: { ...everythingAllowed, shell: 'allow' }, folders });
  writeFileSync(join(folders.outside, 'secret.txt'), 'sesame');
  const run = async (command: string, more: Record<string, unknown> = {}) =>
    output.parse(JSON.parse(textOf(await world.call('shell_execute', { command, ...more }))));
  const script = (text: string) => run(`${node} -e '${text.replaceAll("'", String.raw`'\''`)}'`);
  return { ...world, run, script };
};
