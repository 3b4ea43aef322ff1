import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { workspaceLimits, type WorkspaceLimits } from '../src/agent/workspace/limits.ts';
import { openWorkspaces } from '../src/agent/workspace/open-workspaces.ts';
import { workspaceProgram } from '../src/built-files.ts';

export const makeDataDir = (): string => {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'workspaces-')));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  return dataDir;
};

const output = z.object({
  stdout: z.string(),
  stderr: z.string(),
  exitCode: z.number().nullable(),
  timedOut: z.boolean().optional(),
});

interface Who {
  userId?: string;
  threadId?: string;
  signal?: AbortSignal;
}

/** Workspaces with real containers, in a data folder of their own. */
export const openTestWorkspaces = async (
  limits: Partial<WorkspaceLimits> = {},
  { dataDir = makeDataDir(), ...more }: { dataDir?: string; bwrapPlaces?: string[] } = {},
) => {
  const { port, problem } = await openWorkspaces({
    dataDir,
    program: workspaceProgram,
    clock: systemClock,
    limits: { ...workspaceLimits, ...limits },
    ...more,
  });
  if (port === null) throw new Error(problem ?? 'no workspaces');
  /** The first text of the result. */
  const call = async (tool: string, args: Record<string, unknown>, who: Who = {}): Promise<string> => {
    const { userId = 'ann', threadId = 'thread', signal = new AbortController().signal } = who;
    const given = { callId: nanoid(), tool, arguments: args };
    const { content } = await port.call({ userId, threadId }, given, signal);
    return content[0]?.type === 'text' ? content[0].text : '';
  };
  const shell = async (command: string, who: Who & { timeout?: number } = {}) => {
    const { timeout = 20_000, ...rest } = who;
    return output.parse(JSON.parse(await call('shell_execute', { command, timeout }, rest)));
  };
  return { dataDir, port, call, shell };
};

/** Command lines of this machine's processes that contain the text. */
export const commandsWith = (text: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    })
    .filter((line) => line.includes(text));

/** A time to sleep, in seconds, that no other command has. */
export const ownSeconds = (): string => `7${String(Math.random()).slice(2, 9)}`;
