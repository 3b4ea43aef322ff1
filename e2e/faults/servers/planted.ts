import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fromRoot, newFolder } from '../../harness/index.ts';

/**
 * What is missing in a copy of the built server: code that one file has once, and what stands there instead. The build
 * shortens names of variables, and keeps those of functions.
 */
interface Plant {
  from: RegExp;
  to: string;
}

/** Guards without which the checker has to find a violation. */
export const plants = {
  /** A call is stored as delivered wherever the machine's newest stream is. */
  stream: {
    from: /\bonStream=([$\w]+)=>onNewest\(\1\)\.where\(`serverId`,`=`,\1\(`serverId`\)\)/g,
    to: 'onStream=$1=>machine($1)',
  },
  /** A server writes in a thread that another one drives. */
  lease: {
    from: /\.commit\(\[guardOf\([$\w]+\),\.\.\.([$\w]+)\],([$\w]+)\)/g,
    to: '.commit($1,$2)',
  },
} as const satisfies Record<string, Plant>;

export type PlantName = keyof typeof plants;
export const plantNames = Object.keys(plants) as PlantName[];

const timesIn = (text: string, part: RegExp): number => text.match(part)?.length ?? 0;

/** Replaces the code in the one file that has it; throws where it is not there once. */
const replaceIn = (folder: string, { from, to }: Plant): void => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const found = files.filter((name) => timesIn(readFileSync(join(folder, name), 'utf8'), from) > 0);
  const [file] = found;
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
  if (file === undefined || found.length > 1 || timesIn(text, from) > 1)
    throw new Error(`the built server has not once: ${from.source}`);
  writeFileSync(join(folder, file), text.replace(from, to));
};

/** A copy of the built server without that guard, in a folder of its own; gives its entry. */
export const plantedServer = (plant: Plant): string => {
  const folder = newFolder('planted');
  const server = join(folder, 'server');
  const built = fromRoot('apps/server');
  cpSync(join(built, 'dist'), join(server, 'dist'), { recursive: true });
  cpSync(join(built, 'package.json'), join(server, 'package.json'));
  symlinkSync(join(built, 'node_modules'), join(server, 'node_modules'));
  for (const other of ['web', 'daemon']) symlinkSync(join(dirname(built), other), join(folder, other));
  replaceIn(join(server, 'dist'), plant);
  return join(server, 'dist', 'main.js');
};
