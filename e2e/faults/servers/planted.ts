import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fromRoot, newFolder } from '../../harness/index.ts';

/** What is missing in a copy of the built server: a text that one file has once, and what stands there instead. */
interface Plant {
  from: string;
  to: string;
}

/** Guards without which the checker has to find a violation. */
export const plants = {
  /** A call is stored as delivered wherever the machine's newest stream is. */
  stream: {
    from: 'const onStream = (slot) => onNewest(slot).where("serverId", "=", slot("serverId"));',
    to: 'const onStream = (slot) => machine(slot);',
  },
  /** A server writes in a thread that another one drives. */
  lease: {
    from: 'store.commit([guardOf(driven), ...writes], durability)',
    to: 'store.commit(writes, durability)',
  },
} as const satisfies Record<string, Plant>;

export type PlantName = keyof typeof plants;
export const plantNames = Object.keys(plants) as PlantName[];

const timesIn = (text: string, part: string): number => text.split(part).length - 1;

/** Replaces the text in the one file that has it; throws where it is not there once. */
const replaceIn = (folder: string, { from, to }: Plant): void => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const found = files.filter((name) => timesIn(readFileSync(join(folder, name), 'utf8'), from) > 0);
  const [file] = found;
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
  if (file === undefined || found.length > 1 || timesIn(text, from) > 1)
    throw new Error(`the built server has not once: ${from}`);
  writeFileSync(
    join(folder, file),
    text.replace(from, () => to),
  );
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
