import type { Clock } from '@drawbridge/kit';
import type { Gateway } from '../../gateway/index.ts';
import { createCallResult } from './call-result.ts';
import { createRunAsking } from './client-input.ts';
import { createFollowCall } from './follow-call.ts';
import { createMachineStatus } from './machine-status.ts';
import { createQuestionRounds } from './question-rounds.ts';
import { createRunCall } from './run-call.ts';
import type { Seal } from './seal.ts';
import { createToolbox, type Toolbox } from './toolbox.ts';
import { createQuestionUrl } from './waiting-answer.ts';

interface ToolsNeeds {
  gateway: Gateway;
  clock: Clock;
  /** For what a client carries between two requests. */
  seal: Seal;
  /** The origin under which the person reaches the panel. */
  panelUrl(): string;
  /** How long a call waits for the person's decision before its caller is told to ask again. */
  waitMs: number;
  /** Hears what was thrown inside, for the log. */
  onError(error: unknown): void;
}

/** The machine's tools and our own, put together. */
export const createTools = ({ gateway, clock, seal, panelUrl, waitMs, onError }: ToolsNeeds): Toolbox => {
  const waiting = {
    gateway,
    clock,
    followCall: createFollowCall({ gateway, clock }),
    questionUrl: createQuestionUrl(panelUrl),
    waitMs,
    onError,
  };
  const runCall = createRunCall(waiting, createQuestionRounds({ gateway, seal }));
  return createToolbox({
    gateway,
    ownTools: [createMachineStatus(gateway), createCallResult(waiting)],
    runCall,
    runAsking: createRunAsking(runCall, seal),
    onError,
  });
};
