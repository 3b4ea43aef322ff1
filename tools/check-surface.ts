// What each room offers to the others, pinned in surface/: a diff shows what moved. With `--write` the pages are written.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { surfacesOf } from './surface.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'tools/surface');
const server = 'apps/server/src';

const rooms = ['gateway', 'callers'].map((name) => ({ name, file: `${server}/${name}/index.ts` }));
const doors = readdirSync(join(root, server, 'doors'))
  .map((name) => ({ name: `door-${name}`, file: `${server}/doors/${name}/index.ts` }))
  .filter(({ file }) => existsSync(join(root, file)));
const agent = { name: 'agent', file: 'packages/agent/src/index.ts' };

const pages = surfacesOf(root, [...rooms, ...doors, agent]);
const pathOf = (name: string) => join(folder, `${name}.txt`);
const pinned = (name: string) => (existsSync(pathOf(name)) ? readFileSync(pathOf(name), 'utf8') : '');

const moved = (name: string, page: string): string[] => {
  const [before, now] = [pinned(name).split('\n'), page.split('\n')];
  return [
    ...before.filter((line) => !now.includes(line)).map((line) => `- ${name}: ${line}`),
    ...now.filter((line) => !before.includes(line)).map((line) => `+ ${name}: ${line}`),
  ];
};

if (process.argv.includes('--write')) {
  mkdirSync(folder, { recursive: true });
  for (const [name, page] of pages) writeFileSync(pathOf(name), page);
} else {
  const changes = [...pages].flatMap(([name, page]) => moved(name, page));
  for (const change of changes) console.error(change);
  if (changes.length > 0) {
    console.error('If this is meant: pnpm --filter @drawbridge/tools write:surface');
    process.exitCode = 1;
  }
}
console.log(`${pages.size} front doors`);
