import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import { filesBelow } from './tree.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const folders = ['apps', 'packages', 'e2e', 'bench'];

/** A folder with our rooms in it, and the file with the rules that it is held against. */
export interface Tree {
  root: string;
  config: string;
}

export const houseRules = join(here, 'boundaries.cjs');

const cruiseTree = async ({ root, config }: Tree, present: string[]): Promise<ICruiseResult> => {
  const options = await extractDepcruiseOptions(config);
  const { output } = await cruise(present, { ...options, baseDir: root }, options.enhancedResolveOptions);
  if (typeof output === 'string') throw new Error(`dependency-cruiser gave a text: ${output}`);
  return output;
};

/** `violations`: one line each; `unseen`: files that dependency-cruiser skipped; `seen`: number of others. */
export interface Boundaries {
  violations: string[];
  unseen: string[];
  seen: number;
}

/** Holds every source file of a tree against the rules. */
export const checkBoundaries = async (tree: Tree): Promise<Boundaries> => {
  const { root } = tree;
  const present = folders.filter((folder) => existsSync(join(root, folder)));
  const { modules, summary } = await cruiseTree(tree, present);
  const cruised = new Set(modules.map((module) => module.source));
  const sources = present.flatMap((folder) => filesBelow(root, folder, /\.(ts|vue)$/));
  return {
    violations: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`).sort(),
    unseen: sources.filter((source) => !cruised.has(source)),
    seen: sources.filter((source) => cruised.has(source)).length,
  };
};
