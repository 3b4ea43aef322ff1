import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolRequest } from '@drawbridge/contracts/daemon-event';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { systemClock, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { cleanUp } from './clean-up.ts';
import {
  createGate,
  createSession,
  openRuleUse,
  openSettings,
  type Ask,
  type Modes,
} from '../../src/permission/index.ts';
import { createServerFolders } from '../../src/paths/server-folders.ts';
import { createKeeper, type KeeperNeeds } from '../../src/kept/index.ts';
import { allToolsets, createDispatch, createToolbox, type ToolsetNeeds } from '../../src/tools/index.ts';

/** A folder for the tools, an outside folder beside it and one for the settings; removed after the test. */
export const makeFolders = () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'drawbridge-')));
  // More than once: git may still be at work in the background.
  cleanUp(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const [root, outside, own] = [join(base, 'root'), join(base, 'outside'), join(base, 'own')];
  for (const folder of [root, outside]) mkdirSync(folder);
  mkdirSync(own, { mode: 0o700 });
  return { base, root, outside, own };
};

/** Waits of at most a second are ten times shorter; longer ones are limits of the product, and stay. */
export const quickClock: Clock = {
  ...systemClock,
  after: (ms, run) => systemClock.after(ms <= 1_000 ? ms / 10 : ms, run),
};

export interface ToolsOptions {
  modes?: Partial<Modes>;
  ask?: Ask;
  clock?: Clock;
  folders?: ReturnType<typeof makeFolders>;
  notify?(sentence: string): void;
  /** What calls report. */
  progress?(update: ProgressBody): void;
  toolsets?: Partial<ToolsetNeeds>;
  /** Paths that no tool touches. */
  closed?: readonly string[];
  /** Whether what calls change is kept. */
  keeps?: Pick<KeeperNeeds, 'limits'>;
}

/** Real tools behind a real gate in real folders: `call` runs one as the server would. */
export const openTools = async ({
  modes = {},
  ask = { kind: 'panel' },
  clock = systemClock,
  folders = makeFolders(),
  notify = () => {},
  progress = () => undefined,
  toolsets = {},
  closed = [],
  keeps,
}: ToolsOptions = {}) => {
  const settings = await openSettings(folders.own, clock);
  const session = createSession({ clock, modes, root: folders.root });
  const use = await openRuleUse({ clock, folder: settings.folder });
  cleanUp(use.close);
  const gate = createGate({ settings, session, ask, use, root: folders.root });
  const place = {
    root: folders.root,
    privateFolder: settings.folder,
    closedFolders: createServerFolders(clock, closed),
    clock,
  };
  const toolbox = createToolbox(allToolsets({ notify, ...toolsets }), {
    ...place,
    addedFolders: settings.readableFolders,
    access: gate.access,
  });
  await toolbox.open(gate.modes());
  cleanUp(toolbox.close);
  const keeper = keeps ? createKeeper({ ...place, ...keeps }) : undefined;
  const dispatch = createDispatch({ find: toolbox.find, gate, ...place, ...(keeper && { keeper }) });
  const send = (
    request: ToolRequest,
    signal = new AbortController().signal,
    starting = async (_paths: string[]) => {},
  ): Promise<ToolResult> =>
    dispatch(request, {
      tag: nanoid(),
      signal,
      progress,
      starting,
      delivered: Promise.resolve(),
    });
  const call = (name: string, args: Record<string, unknown>): Promise<ToolResult> =>
    send({ requestId: nanoid(), toolCall: { name, arguments: args } });
  return { ...folders, settings, session, gate, toolbox, dispatch, send, call };
};

export const everythingAllowed: Partial<Modes> = {
  filesystemRead: 'allow',
  filesystemWrite: 'allow',
};

/** A result's first text, or what it has instead. */
export const textOf = (result: ToolResult): string => {
  const [first] = result.content;
  return first?.type === 'text' ? first.text : `<${first?.type ?? 'nothing'}>`;
};
