import { canonical } from '@drawbridge/kit';
import { endedBy, runtimeErrors, type TurnEvents } from '../driver.ts';
import { createAsking, type Asking } from '../waits.ts';
import {
  asksFirst,
  type ActionRequestFrame,
  type FormRequest,
  type Item,
  type Notification,
  type Request,
  type TurnCompleted,
} from './frames.ts';
import { actOf, labelOf, toActionRequest } from './to-action.ts';
import { toAnswers, toForm } from './to-form.ts';

export interface TurnNeeds {
  events: TurnEvents;
  /** The thread of the turn: its sub-agents have others. */
  native: string;
  /** Sends a message to the model during the turn. */
  tell(text: string): void;
  fail(error: Error): void;
  ended(turn: TurnCompleted): void;
}

/** One item of a thread. */
interface Action {
  n: number;
  item: Item;
  /** What its question shows: each later frame has to say the same. */
  shown?: string;
  isAllowed?: true;
  isWithdrawn?: true;
  isOver: boolean;
}

/** Not listed: they are its text, or say what is already there. */
const silent = new Set(['userMessage', 'agentMessage', 'reasoning', 'plan', 'contextCompaction']);
/** Asked about before, or switched off: one that has happened without a yes is a breach. */
const needsYes = new Set([
  ...['commandExecution', 'fileChange', 'mcpToolCall', 'dynamicToolCall'],
  ...['webSearch', 'imageView', 'imageGeneration'],
]);

const leftMode = { message: 'The coding agent left the mode in which it asks' };

interface AnswerNeeds extends Pick<TurnNeeds, 'events' | 'native' | 'tell'>, Pick<Asking<Action>, 'wait'> {
  actions: ReadonlyMap<string, Action>;
  end(action: Action, status: 'completed' | 'denied', text: string): void;
  /** The action of an item, which is listed when it is new. */
  see(key: string, item: Item): Action;
}

/** Asks its person; the answers are words, and nothing is allowed by them. */
const createForm =
  ({ see, end, wait, events, native, tell }: AnswerNeeds) =>
  async (given: FormRequest, withdrawal: AbortSignal): Promise<object> => {
    const { threadId, itemId } = given.params;
    const action = see(`${threadId} form ${itemId}`, { id: itemId, type: 'question', status: null });
    // An answer without answers is its no: it has no field for a reason.
    const no = (reason: string, isRead = true) => {
      end(action, 'denied', reason);
      if (isRead && threadId === native) tell(`About your question: ${reason}`);
      return { answers: {} };
    };
    const form = toForm(given);
    if (form === undefined) return no('Secrets are not asked for here');
    const answer = await wait(action, withdrawal, events.form(form, action.n, withdrawal));
    if (withdrawal.aborted || 'withdrawn' in answer) return no(endedBy(withdrawal), false);
    if ('declined' in answer) return no(answer.declined);
    end(action, 'completed', 'The person has answered');
    return { answers: toAnswers(given, answer.answers) };
  };

/** Answers one request: yes once, or no. Never for the session, and never a rule. */
const createPermission =
  ({ actions, end, wait, events, native, tell }: AnswerNeeds) =>
  async (given: ActionRequestFrame, withdrawal: AbortSignal): Promise<object> => {
    const action = actions.get(`${given.params.threadId} ${given.params.itemId}`);
    if (action === undefined) return { decision: 'decline' };
    const no = (decision: 'decline' | 'cancel', reason: string) => {
      end(action, 'denied', reason);
      // The answer has no field for a reason. The turn of a sub-agent is not known.
      if (decision === 'decline' && given.params.threadId === native)
        tell(`About ${JSON.stringify(labelOf(action.item).title)}: ${reason}`);
      return { decision };
    };
    const request = toActionRequest(given, action.item);
    if (request === undefined) return no('decline', 'There is no question that could show what it would do');
    action.shown = canonical(actOf(action.item));
    const verdict = await wait(action, withdrawal, events.ask(request, action.n, withdrawal));
    if (withdrawal.aborted || 'withdrawn' in verdict) return no('cancel', endedBy(withdrawal));
    if (!verdict.allow) return no('decline', verdict.reason);
    action.isAllowed = true;
    return { decision: 'accept' };
  };

/** What the frames of one turn mean. */
export const createTurn = ({ events, native, tell, fail, ended }: TurnNeeds) => {
  const actions = new Map<string, Action>();
  let tokens: number | null = null;

  const { isAsking, wait, end } = createAsking<Action>(events.event);

  const see = (key: string, item: Item): Action => {
    const known = actions.get(key);
    if (known !== undefined) {
      if (known.shown !== undefined && canonical(actOf(item)) !== known.shown) fail(runtimeErrors.mismatch());
      known.item = item;
      return known;
    }
    const action = { n: actions.size + 1, item, isOver: false };
    actions.set(key, action);
    events.event({ type: 'action', n: action.n, ...labelOf(item) });
    return action;
  };

  const onItem = (threadId: string, item: Item, isDone: boolean) => {
    if (silent.has(item.type)) return;
    const action = see(`${threadId} ${item.id}`, item);
    if (!isDone) return;
    if (item.status === 'declined') return end(action, 'denied', 'The coding agent did not do it');
    if (needsYes.has(item.type) && action.isAllowed !== true) return fail(runtimeErrors.mismatch());
    end(action, item.status === 'failed' ? 'failed' : 'completed', item.aggregatedOutput ?? '');
  };

  const onOwn = (given: Notification) => {
    switch (given.method) {
      case 'item/agentMessage/delta':
        return events.event({ type: 'text', text: given.params.delta });
      case 'item/reasoning/summaryTextDelta':
      case 'item/reasoning/textDelta':
        return events.event({ type: 'thought', text: given.params.delta });
      case 'thread/tokenUsage/updated':
        tokens = given.params.tokenUsage.last.inputTokens;
        return;
      case 'turn/plan/updated':
        return events.event({
          type: 'plan',
          items: given.params.plan.map(({ step, status }) => ({ text: step, status })),
        });
      case 'turn/completed':
        return ended(given.params.turn);
      default:
    }
  };

  const answering = { actions, see, end, wait, events, native, tell };
  const form = createForm(answering);
  const permission = createPermission(answering);

  return {
    tokens: () => tokens,
    isBusy: () => isAsking() || [...actions.values()].some(({ isOver }) => !isOver),
    fail,
    notification: (given: Notification) => {
      switch (given.method) {
        case 'item/started':
        case 'item/completed':
          return onItem(given.params.threadId, given.params.item, given.method === 'item/completed');
        case 'item/autoApprovalReview/started':
          return fail(runtimeErrors.mismatch(leftMode));
        case 'thread/settings/updated':
          if (!asksFirst(given.params.threadSettings)) fail(runtimeErrors.mismatch(leftMode));
          return;
        case 'error':
          if (given.params.willRetry)
            events.event({ type: 'notice', text: 'Its model failed, and it tries again' });
          return;
        default:
          if (given.params.threadId === native) onOwn(given);
      }
    },
    answer: (given: Request, withdrawal: AbortSignal): Promise<object> =>
      given.method === 'item/tool/requestUserInput' ? form(given, withdrawal) : permission(given, withdrawal),
  };
};

export type Turn = ReturnType<typeof createTurn>;
