import type { RunContext } from '../engine/context.ts';
import type { Lanes, Sender } from '../lanes/api.ts';
import type { LaneRunner } from '../lanes/runner.ts';

export interface CommandContext {
  ctx: RunContext;
  runner: LaneRunner;
  cancel: Lanes['cancel'];
}

/** A command of a message, with its words in lower case. */
export interface CommandUse {
  sender: Sender;
  threadId: string;
  words: readonly string[];
}

/** Gives the answer as text; what it cannot do is an answer as well. */
export type Command = (context: CommandContext, use: CommandUse) => Promise<string>;
