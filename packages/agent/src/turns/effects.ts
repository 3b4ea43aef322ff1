import type { History } from '../memory/history.ts';
import type { ThreadKey } from '../rows/keys.ts';
import type { Work } from '../rows/load.ts';
import type { AgentRow } from '../rows/rows.ts';
import type { Write } from '../rows/store.ts';
import type { ToolEffect } from '../tools/common/tool.ts';

export interface RunKey extends ThreadKey {
  runId: string;
}

/** What the engine does once the writes of a turn are stored. */
export type TurnEffect =
  | ToolEffect
  /** Delegates of an agent that has ended; the only effect that is waited for. */
  | { type: 'stop'; agents: readonly AgentRow[] }
  /** The agent's step begins again when it is woken. */
  | { type: 'dropModelCall'; agent: Pick<AgentRow, 'id' | 'state'> }
  /** The run has ended, and its end is stored. */
  | { type: 'runEnded'; run: RunKey }
  /** A run waits for its person: another one may start. */
  | { type: 'runWaits' }
  /** Something that the thread may run has come. */
  | { type: 'checkLane'; thread: ThreadKey }
  | { type: 'nameThread'; run: RunKey }
  /** `history`: what the last step was made from. */
  | { type: 'keepNotes'; work: Work; history: History };

/** Rows to write in one transaction, and what follows it. */
export interface Ending {
  writes: Write[];
  effects: TurnEffect[];
}

/** After the end of a run or of a background task: a waiting message or a follow-up run, and a title. */
export const afterRun = (run: RunKey): TurnEffect[] => [
  { type: 'checkLane', thread: { userId: run.userId, threadId: run.threadId } },
  { type: 'nameThread', run },
];
