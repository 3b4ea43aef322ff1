import { agentLimits } from '../rows/limits.ts';
import type { AgentRow, RunRow, ToolCallRow } from '../rows/rows.ts';

/** What an agent does next. `run`: calls that may run now, several only if all of them read. */
export type NextStep =
  /** `isLast`: a sub-agent ends with this step. */
  | { do: 'think'; isLast: boolean }
  | { do: 'run'; calls: ToolCallRow[] }
  /** The calls of its step have ended. */
  | { do: 'ready' }
  | { do: 'wait' }
  | { do: 'nothing' };

interface Facts {
  agent: Pick<AgentRow, 'kind' | 'state' | 'steps' | 'maxSteps'>;
  run: Pick<RunRow, 'state' | 'stopAskedAt'>;
  /** The calls of its newest step, in the model's order. */
  calls: readonly ToolCallRow[];
  canRunBeside(call: ToolCallRow): boolean;
}

/** A call to run. Its agent waits for those that it runs: one that is marked as running has not begun. */
export const isDue = ({ state }: Pick<ToolCallRow, 'state'>): boolean =>
  state === 'planned' || state === 'running';

/** The calls that run together: the first one, and the reading ones behind a reading one. */
export const nextCalls = (planned: ToolCallRow[], canRunBeside: Facts['canRunBeside']): ToolCallRow[] => {
  const firstAlone = planned.findIndex((call) => !canRunBeside(call));
  const together = firstAlone === -1 ? planned : planned.slice(0, firstAlone);
  return together.length === 0 ? planned.slice(0, 1) : together.slice(0, agentLimits.parallelReads);
};

export const nextStep = ({ agent, run, calls, canRunBeside }: Facts): NextStep => {
  if (run.stopAskedAt !== null) return { do: 'nothing' };
  switch (agent.state) {
    case 'ended':
    case 'asking':
      return { do: 'nothing' };
    case 'ready':
      return { do: 'think', isLast: agent.kind !== 'main' && agent.steps + 1 >= agent.maxSteps };
    case 'waiting':
    case 'acting': {
      const due = calls.filter(isDue);
      if (due.length > 0) return { do: 'run', calls: nextCalls(due, canRunBeside) };
      if (calls.every(({ state }) => state === 'ended')) return { do: 'ready' };
      return agent.state === 'waiting' ? { do: 'nothing' } : { do: 'wait' };
    }
    default:
      agent.state satisfies never;
      return { do: 'nothing' };
  }
};
