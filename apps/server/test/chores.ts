import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createActions } from '../src/commands/actions.ts';
import { configFrom } from '../src/config.ts';

/** The commands beside a server, on its data folder, with a connection of their own; and what they print. */
export const commandsFor = (dataDir: string) => {
  const out: string[] = [];
  const err: string[] = [];
  const actions = createActions({
    config: configFrom({ DATA_DIR: dataDir }),
    cwd: '/',
    print: (text) => void out.push(text),
    note: (text) => void err.push(text),
  });
  return { ...actions, out: () => out.join(''), err: () => err.join('') };
};

export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'chores-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
