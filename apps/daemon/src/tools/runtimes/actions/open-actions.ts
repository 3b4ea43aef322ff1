import { questionOf } from '@drawbridge/contracts/confirmation-text';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { maxOpenActions, maxWithdrawn, turnTimeoutMs } from '@drawbridge/contracts/machines/runtimes';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { canonical, createTransientMap, cutText, visible, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import type { ActionRequest, Verdict } from '../driver.ts';

const maxSubject = 2_000;

export interface OpenAction {
  request: ActionRequest;
  /** The id and the name of the coding agent. */
  runtime: string;
  title: string;
}

interface Waiting extends OpenAction {
  /** The call is here: from now on the person may take their time. */
  arrived(): void;
  settle(verdict: Verdict): void;
}

export interface Asking extends Pick<OpenAction, 'runtime' | 'title'> {
  clock: Clock;
  /** An abort withdraws all of its open actions. */
  signal: AbortSignal;
  progress(update: ProgressBody): void;
  /** An action has become a call of that id. */
  asked(n: number, requestId: string): void;
  /** Ends the call of an action that is not asked about any more. */
  withdraw(requestId: string): void;
}

/** An id that begins with its time, as those of the server. */
const newCallId = (clock: Clock): string => clock.now().toString(36).padStart(9, '0') + nanoid(22);

/** What the call says of an action, for lists; the daemon itself goes by what it has kept. */
const subjectOf = (request: ActionRequest): Record<string, string> => {
  switch (request.kind) {
    case 'command':
      return { command: cutText(request.command, maxSubject) };
    case 'edit':
      return { path: request.edits[0]?.path ?? '' };
    case 'read':
      return { path: request.paths[0] ?? '' };
    case 'other':
      return { name: cutText(request.name, maxSubject) };
    default:
      return request satisfies never;
  }
};

const refusal = ({ content }: ToolResult): string => {
  const [first] = content;
  return first?.type === 'text' ? first.text : 'The call was refused';
};

/** What the program reads of a no, with the person's own words where they gave some. */
const denial = (plain: string, denialReason: string | undefined): Verdict => ({
  allow: false,
  reason: denialReason === undefined ? plain : `The person said no: ${visible(denialReason)}`,
});

/** The requests of coding agents that wait for an answer, each by the id of the call that it became. */
export const createOpenActions = () => {
  const waiting = createTransientMap<string, Waiting>();

  const settle = (requestId: string, verdict: Verdict) => {
    const one = waiting.get(requestId);
    waiting.delete(requestId);
    one?.settle(verdict);
  };

  /** Opens a call below a turn and waits for its end. */
  const open = (
    action: OpenAction & { n: number; withdrawal: AbortSignal },
    { clock, signal, progress, asked, withdraw }: Asking,
  ): Promise<Verdict> =>
    new Promise((resolve) => {
      const requestId = newCallId(clock);
      const { withdrawal, ...opened } = action;
      const over = () => settle(requestId, { withdrawn: true });
      const onWithdrawal = () => {
        over();
        withdraw(requestId);
      };
      const tooLate = () =>
        settle(requestId, { allow: false, reason: 'The server could not be asked within 3 min' });
      const stopWaiting = clock.after(turnTimeoutMs, tooLate);
      waiting.set(requestId, {
        ...opened,
        arrived: stopWaiting,
        settle: (verdict) => {
          stopWaiting();
          signal.removeEventListener('abort', over);
          withdrawal.removeEventListener('abort', onWithdrawal);
          resolve(verdict);
        },
      });
      signal.addEventListener('abort', over, { once: true });
      withdrawal.addEventListener('abort', onWithdrawal, { once: true });
      const { runtime, request, n } = action;
      asked(n, requestId);
      progress({
        actions: [{ requestId, arguments: { action: requestId, runtime, ...subjectOf(request) } }],
      });
    });

  return {
    /** The action that a call stands for. */
    take: (requestId: string): OpenAction | undefined => {
      const one = waiting.get(requestId);
      one?.arrived();
      return one;
    },
    /** The call of it has run: the program may act, once. */
    allow: (requestId: string) => settle(requestId, { allow: true }),
    /** The call of it has ended, or was asked about. */
    answered: (requestId: string, result: ToolResult, denialReason?: string) => {
      if (questionOf(result) === undefined) settle(requestId, denial(refusal(result), denialReason));
    },
    /** Denied without an answer of ours, or expired. */
    withdrawn: (requestId: string, denialReason?: string) =>
      settle(requestId, denial('The person said no, or did not answer', denialReason)),
    /** The questions of one turn. What was denied in it once is denied again without a question. */
    ofTurn: (asking: Asking) => {
      const denied = new Set<string>();
      let count = 0;
      let withdrawals = 0;
      return async (request: ActionRequest, n: number, withdrawal: AbortSignal): Promise<Verdict> => {
        const key = canonical(request);
        if (asking.signal.aborted || withdrawal.aborted) return { withdrawn: true };
        if (denied.has(key)) return { allow: false, reason: 'This was denied before in this turn' };
        if (count >= maxOpenActions) return { allow: false, reason: 'Too many requests wait for an answer' };
        if (withdrawals >= maxWithdrawn) return { allow: false, reason: 'Too many requests were withdrawn' };
        count += 1;
        const { runtime, title } = asking;
        const verdict = await open({ request, runtime, title, n, withdrawal }, asking);
        count -= 1;
        if (withdrawal.aborted) withdrawals += 1;
        if ('allow' in verdict && !verdict.allow) denied.add(key);
        return verdict;
      };
    },
  };
};

export type OpenActions = ReturnType<typeof createOpenActions>;
