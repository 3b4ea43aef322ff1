import { lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../harness/index.ts';

/** Stands in every file that no call may reach; nothing inside has it. */
export const secret = 'the secret beyond';
/** Begins every name that no call may see. */
export const hiddenName = 'only-beyond';

const contentOf = (path: string): string | null =>
  lstatSync(path).isFile() ? readFileSync(path, 'utf8') : null;

/** What no call may change, as JSON: each name below a folder with its inode, mode and content. */
export const snapshot = (folder: string): string => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const lookAt = (name: string) => {
    const path = join(folder, name);
    const { ino, mode, nlink } = lstatSync(path);
    return { name, ino, mode, nlink, content: contentOf(path) };
  };
  return JSON.stringify(names.map(lookAt));
};

const fill = (folder: string, content: string, ...more: string[]) => {
  mkdirSync(join(folder, 'deep/er'), { recursive: true });
  for (const path of ['a.txt', 'deep/a.txt', 'deep/er/a.txt', ...more])
    writeFileSync(join(folder, path), content);
};

/** The files below a folder that hold the secret, but for those in `except`. */
export const withSecret = (folder: string, except: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => !path.startsWith(except) && contentOf(join(folder, path))?.includes(secret),
  );

/** A root to work in, with a folder that a rule of the person keeps closed, and a folder outside. */
export const createWorld = () => {
  const [root, outside, home] = [newFolder('root'), newFolder('outside'), newFolder('home')];
  const kept = join(root, 'kept');
  for (const name of ['in', 'half', 'to-kept']) fill(join(root, name), 'inside');
  for (const folder of [outside, kept]) fill(folder, secret, `${hiddenName}.txt`, `deep/${hiddenName}.txt`);
  writeFileSync(join(root, 'file.txt'), 'inside');
  writeFileSync(join(root, 'b.txt'), 'mine');
  mkdirSync(join(home, '.drawbridge'), { mode: 0o700 });
  const deny = ['filesystemRead'].map((toolGroup) => ({ toolGroup, resource: kept }));
  writeFileSync(
    join(home, '.drawbridge/settings.json'),
    JSON.stringify({ version: 1, modes: { filesystemWrite: 'allow' }, rules: { allow: [], deny } }),
    { mode: 0o600 },
  );
  /** What is swapped for a link, and where the link leads, in turn. */
  const swapped = [
    [join(root, 'in'), outside],
    [join(root, 'half/deep'), join(outside, 'deep')],
    [join(root, 'to-kept'), kept],
    [join(root, 'file.txt'), join(outside, 'a.txt')],
  ].flat();
  return { root, outside, home, kept, swapped };
};
