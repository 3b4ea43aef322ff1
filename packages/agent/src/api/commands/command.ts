import type { LaneContext } from '../../engine/lanes/lane-context.ts';
import type { CancelResult } from '../../engine/lanes/request.ts';
import type { LaneRunner } from '../../engine/lanes/runner.ts';
import type { Sender } from '../../rows/sender.ts';

export interface CommandContext {
  ctx: Pick<
    LaneContext,
    'store' | 'clock' | 'newId' | 'machine' | 'model' | 'config' | 'queueSettings' | 'stopAgents'
  >;
  runner: LaneRunner;
  /** Ends what waits, then the run. */
  cancel(userId: string, threadId: string, what: object): Promise<CancelResult>;
}

/** A command of a message, with its words in lower case. */
export interface CommandUse {
  sender: Sender;
  threadId: string;
  words: readonly string[];
  /** The same as they were written. */
  given: readonly string[];
}

/** Gives the answer as text; what it cannot do is an answer as well. */
export type Command = (context: CommandContext, use: CommandUse) => Promise<string>;
