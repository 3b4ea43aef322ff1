import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import type { ToolGroup } from '@drawbridge/contracts/groups';
import type { FormAnswer } from '@drawbridge/contracts/machines/runtimes';
import type { Preview } from '@drawbridge/contracts/preview';
import type { Tool } from '@drawbridge/contracts/tool';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import type { Clock } from '@drawbridge/kit';
import type { z } from 'zod';
import type { DeniedPaths, Reading, Resource } from '../../permission/index.ts';

export type { Resource };

export interface ToolContext {
  root: string;
  /** The real path of the daemon's own folder, which every tool keeps out of. */
  privateFolder: string;
  /** Folders and files of servers of this account, which every tool keeps out of too. */
  closedFolders?(): readonly string[];
  clock: Clock;
  /** Aborted on cancel, time-out and shut-down: stop, clean up, and reject. */
  signal: AbortSignal;
  /** A tool shows nothing whose reading is on deny. */
  reading: Reading;
  /** Who calls, where the server says it. */
  caller?: RequestCaller;
}

export interface RunContext extends ToolContext {
  /** Of this call alone on the machine: marks what it starts, so that it is found after a crash. */
  tag: string;
  /** What was evaluated and, where needed, approved. A tool acts on exactly these. */
  granted: readonly Resource[];
  /** What the server gives the call from one progress to the next, where it says so. */
  timeoutMs?: number;
  /** What deny rules keep closed: for a tool that hands paths on to another program. */
  deniedPaths(): DeniedPaths;
  /** Reports progress to the server, which renews the call's deadline. */
  progress(update: ProgressBody): void;
  /** Subscribes to the answers to the forms that progress names; undefined where no chat shows them. */
  answers?(listen: (answers: readonly FormAnswer[]) => void): void;
  /** Ends a call that progress has opened, with its question. */
  withdraw?(requestId: string): void;
  /** Waits without keeping other calls of its lane from running, and says so to the server. */
  outside<T>(wait: () => Promise<T>): Promise<T>;
  /** Awaited before a large result is read into memory: few of them are on their way at once. */
  large(): Promise<void>;
}

export interface ToolFacts<Input extends z.ZodType = z.ZodType> {
  name: string;
  title: string;
  description: string;
  group: ToolGroup;
  /** The name in the panel: filesystem, shell, … */
  category: string;
  /** `reads` may run again after a lost connection; others start at most once. `destroys` can lose data. */
  effect: 'reads' | 'adds' | 'destroys';
  input: Input;
  /** Calls that run at once are counted apart from those of its group. */
  lane?: 'process' | 'action';
  /** Never offered: only calls that this daemon has opened itself find it. */
  isInternal?: true;
  /** Sent to the server instead of what `input` gives, for a tool of an MCP server. */
  described?: Pick<Tool, 'inputSchema' | 'outputSchema' | 'annotations'>;
}

/** Whether a tool changes anything: the one place that decides it. */
export const changesSomething = ({ effect }: Pick<ToolFacts, 'effect'>): boolean => effect !== 'reads';

/** One tool. `resources` inspects and changes nothing; `run` relies on the permission. */
export interface DaemonTool<Input extends z.ZodType = z.ZodType> extends ToolFacts<Input> {
  resources(input: z.infer<Input>, context: ToolContext): Promise<Resource[]>;
  /** The question in one line, built with `question-words.ts` from the resolved resources only. */
  asks(input: z.infer<Input>, resources: readonly Resource[], context: ToolContext): string | Promise<string>;
  /** What a write would change, for the person who is asked. */
  preview?(input: z.infer<Input>, context: ToolContext): Promise<Preview | undefined>;
  /** Called when the user has refused a call at its question. */
  refused?(input: z.infer<Input>, context: ToolContext): void;
  run(input: z.infer<Input>, context: RunContext): Promise<ToolResult>;
}

/** Gives the literal its own input type, and the list one type for all. */
export const defineTool = <Input extends z.ZodType>(tool: DaemonTool<Input>): DaemonTool =>
  // A tool takes its own input only; dispatch parses with the tool's own schema before it calls one.
  tool as unknown as DaemonTool;

/** Whether exactly this was allowed: the same resource, which still stands for the same thing. */
export const isGranted = ({ granted }: RunContext, wanted: Resource): boolean =>
  granted.some(
    (one) =>
      one.toolGroup === wanted.toolGroup &&
      one.resource === wanted.resource &&
      one.fingerprint === wanted.fingerprint &&
      one.programFingerprint === wanted.programFingerprint,
  );
