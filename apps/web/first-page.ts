import { join } from 'node:path';
import type { Rolldown } from 'vite';

type Context = Rolldown.ChunkingContext;

const source = join(import.meta.dirname, 'src');
const begin = ['main.ts', 'features/shell/app-shell.vue', 'pages/inbox-page.vue'].map((path) =>
  join(source, path),
);

/** Their index names everything, and a page uses little of it; of schemas the first page uses none. */
const isLeftOut = (id: string, imported: readonly string[]) =>
  /\/node_modules\/(zod|reka-ui)\//.test(id) || imported.some((one) => one.includes('/node_modules/zod/'));

/** Each module that the first page imports, and whether it stands on one that is left out. */
const modulesOf = (context: Context): Map<string, boolean> => {
  const found = new Map<string, boolean>();
  const visit = (id: string): boolean => {
    const known = found.get(id);
    if (known !== undefined) return known;
    const imported = context.getModuleInfo(id)?.importedIds ?? [];
    if (isLeftOut(id, imported)) return true;
    found.set(id, false);
    const stands = imported.map(visit).includes(true);
    found.set(id, stands);
    return stands;
  };
  begin.forEach(visit);
  return found;
};

/**
 * What the first page after signing in loads comes in two files, and not in one for each set of pages that
 * share a module. What is left out stands on `base` and below the other one: files that import each other
 * would run in the wrong order.
 */
export const firstPage = () => {
  let modules: Map<string, boolean> | undefined;
  return {
    debugName: 'first page',
    includeDependenciesRecursively: false,
    name: (id: string, context: Context): string | null => {
      modules ??= modulesOf(context);
      const stands = modules.get(id);
      if (stands === undefined) return null;
      return stands ? 'first-page' : 'base';
    },
  };
};
