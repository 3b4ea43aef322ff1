import type { Preview, ProgressBody, ToolGroup, ToolResult } from '@drawbridge/contracts';
import type { z } from 'zod';

/** One thing that a call would touch: what a rule matches (`resource`) and what a person reads (`description`). */
export interface Resource {
  toolGroup: ToolGroup;
  resource: string;
  description: string;
}

/** What a running tool has at hand. */
export interface ToolContext {
  /** The real path of the one folder that file tools work in. */
  root: string;
  /** Aborted on cancel, time-out and shut-down: stop, clean up, and reject. */
  signal: AbortSignal;
  /** Tells the server how far the call is, which renews its deadline. */
  progress(update: ProgressBody): void;
}

/** One tool that the daemon offers. `resources` looks, and never changes anything; `run` trusts that it was allowed. */
export interface DaemonTool<Input extends z.ZodType = z.ZodType> {
  name: string;
  title: string;
  description: string;
  group: ToolGroup;
  /** The family under which the panel lists it: filesystem, shell, … */
  category: string;
  /** False: only reads, may run again after a lost connection. True: starts at most once per request. */
  changes: boolean;
  input: Input;
  resources(input: z.infer<Input>, context: ToolContext): Promise<Resource[]>;
  /** What a write would change, for the person who is asked. */
  preview?(input: z.infer<Input>, context: ToolContext): Promise<Preview | undefined>;
  run(input: z.infer<Input>, context: ToolContext): Promise<ToolResult>;
}

/** Gives the literal its own input type, and the list one type for all. */
export const defineTool = <Input extends z.ZodType>(tool: DaemonTool<Input>): DaemonTool => tool as unknown as DaemonTool;
