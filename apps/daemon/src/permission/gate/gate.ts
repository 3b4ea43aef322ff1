import type { ConfirmationPayload } from '@drawbridge/contracts/confirmation-payload';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { errorTable } from '@drawbridge/contracts/errors';
import type { Decision, ToolGroup } from '@drawbridge/contracts/groups';
import { canonical, createEmitter, visible } from '@drawbridge/kit';
import { allowingRules, decidingRules, evaluateAll } from '../rules/evaluate.ts';
import {
  buildQuestion,
  parseAnswer,
  isAbout,
  sameResources,
  type Attempt,
  type ParsedAnswer,
  type Question,
} from './question.ts';
import { createCurrentPolicy, type CurrentPolicy, type PolicyNeeds } from './current-policy.ts';
import { createOpenQuestions, type OpenQuestions } from './open-questions.ts';
import { exactRule } from '../rules/scope.ts';
import type { Resource } from '../rules/resource.ts';
import type { Rule } from '../rules/rule.ts';

/** An answer given at the terminal; `reach` is the id of a scope that the question offers. */
export interface TerminalAnswer {
  decision: Decision;
  reach?: string;
}

/** Where a question goes: to the server for the panel, or to this terminal. */
export type Ask =
  | { kind: 'panel' }
  | {
      kind: 'terminal';
      /** `signal` is aborted with the call, or when a rule answers the question first. */
      askInTerminal(question: ConfirmationPayload, caller: Caller): Promise<TerminalAnswer>;
    };

/**
 * `run`: these arguments, touching these resources and nothing else. `allowedBy`: without a question, by
 * these rules, or with none by the modes alone. `ruling`: a rule or a mode refuses it, without a question.
 */
export type Outcome =
  | { kind: 'run'; arguments: Record<string, unknown>; granted: Resource[]; allowedBy?: Rule[] }
  | { kind: 'ask'; question: ConfirmationPayload }
  | { kind: 'denied'; reason: string; byUser?: true; ruling?: 'rule' | 'mode' };

export interface GateContext {
  confirmation: unknown;
  askId?: string | undefined;
  reach?: string | undefined;
  signal: AbortSignal;
  progress(update: ProgressBody): void;
}

type Waiting = Pick<GateContext, 'signal' | 'progress'>;
type Caller = Waiting & Pick<Attempt, 'caller'>;

export interface GateNeeds extends PolicyNeeds {
  ask: Ask;
}

/** `requestId` is the call whose answer made the rules. */
export type GateChange = { kind: 'asked' } | { kind: 'ruled'; requestId: string };

const deniedByUser: Outcome = { kind: 'denied', reason: errorTable.denied.message, byUser: true };
const denied = (reason: string): Outcome & { kind: 'denied' } => ({
  kind: 'denied',
  reason: `Access denied: ${reason}`,
});
const off = (group: ToolGroup): Outcome => ({
  ...denied(`${group} is switched off on this machine`),
  ruling: 'mode',
});

/** Whether a yes still fits: the same resources, the same preview, and nothing more to ask about. */
const stillFits = async (question: Question, attempt: Attempt, answer: ParsedAnswer): Promise<boolean> => {
  if (!sameResources(await attempt.inspect(), question.resources)) return false;
  if (answer.decision !== 'allowOnce') return true;
  return canonical((await attempt.preview()) ?? null) === canonical(question.preview ?? null);
};

/** A server that knows only the specification sends the decision as a new call about the same question. */
const answeredRequest = (
  questions: OpenQuestions,
  attempt: Attempt,
  answer: Pick<GateContext, 'confirmation' | 'askId'>,
): string => {
  const isNew = questions.of(attempt.requestId) === undefined;
  const mayBeOther = isNew && answer.confirmation !== undefined && answer.askId === undefined;
  return (mayBeOther ? questions.onlyAbout(attempt) : undefined) ?? attempt.requestId;
};

interface AskingContext extends GateNeeds {
  questions: OpenQuestions;
  policy: CurrentPolicy;
  changed(change: GateChange): void;
}

/** Makes the rules of a lasting answer, and reports them for other open questions. */
const addRules = async (
  { session, settings, changed }: AskingContext,
  { requestId }: Attempt,
  { decision, rules, forMs }: ParsedAnswer,
): Promise<void> => {
  if (decision === 'allowOnce' || decision === 'denyOnce') return;
  if (decision === 'allowForSession') session.allow(rules, forMs);
  else await settings.addRules(decision === 'alwaysAllow' ? 'allow' : 'deny', rules);
  changed({ kind: 'ruled', requestId });
};

const createAsking = (context: AskingContext) => {
  const { questions, policy, ask, root, changed } = context;

  const refuse = ({ toolGroup, resource }: Resource): Outcome =>
    policy.isOff(toolGroup)
      ? off(toolGroup)
      : { ...denied(`a rule forbids ${visible(resource)}`), ruling: 'rule' };

  const keep = (requestId: string, question: Question): Outcome => {
    questions.keep(requestId, question);
    changed({ kind: 'asked' });
    return { kind: 'ask', question: question.payload };
  };

  const approve = async (question: Question, attempt: Attempt, answer: ParsedAnswer): Promise<Outcome> => {
    if (!(await stillFits(question, attempt, answer))) return askAnew(attempt);
    await policy.refresh();
    const current = policy.current(attempt.caller);
    const allow = [...current.allow, ...question.asking.map(exactRule)];
    if (evaluateAll({ ...current, allow }, question.resources).kind !== 'run') return askAnew(attempt);
    await addRules(context, attempt, answer);
    return { kind: 'run', arguments: question.arguments, granted: question.resources };
  };

  const decide = async (question: Question, attempt: Attempt, answer: ParsedAnswer): Promise<Outcome> => {
    switch (answer.decision) {
      case 'allowOnce':
      case 'allowForSession':
      case 'alwaysAllow':
        return approve(question, attempt, answer);
      case 'denyOnce':
        return deniedByUser;
      case 'alwaysDeny':
        await addRules(context, attempt, answer);
        return deniedByUser;
      default:
        return answer.decision satisfies never;
    }
  };

  const answered = async (
    question: Question,
    attempt: Attempt,
    answer: Pick<GateContext, 'confirmation' | 'reach'>,
  ): Promise<Outcome> => {
    const parsed = parseAnswer(question, answer);
    return parsed !== undefined && isAbout(question, attempt)
      ? decide(question, attempt, parsed)
      : denied('the answer does not fit what was asked');
  };

  /** Evaluates from the start. Ends with an answer at the terminal, or a question for the server. */
  const askAnew = async (attempt: Attempt, waiting?: Waiting): Promise<Outcome> => {
    const resources = await attempt.inspect();
    const evaluation = await policy.evaluate(resources, attempt.caller);
    if (evaluation.kind === 'denied') return refuse(evaluation.resource);
    if (evaluation.kind === 'run') {
      const allowedBy = allowingRules(policy.current(attempt.caller), resources);
      return { kind: 'run', arguments: attempt.arguments, granted: resources, allowedBy };
    }
    const [first, ...rest] = evaluation.asking;
    if (first === undefined) return denied('there was nothing to ask about');
    if (evaluation.asking.some(({ alone }) => alone) && questions.hasAlone(attempt.requestId))
      return denied('another question of this kind is open; the user answers that one first');
    const about = { resources, asking: [first, ...rest] as const, modes: policy.modes() };
    const question = await buildQuestion(attempt, about, root);
    if (ask.kind === 'panel') return keep(attempt.requestId, question);
    if (waiting === undefined) return denied('what it would touch changed while you were asked');
    const answer = await questions.atTerminal(question, (settled) => {
      changed({ kind: 'asked' });
      const signal = AbortSignal.any([waiting.signal, settled]);
      const { caller } = attempt;
      return ask.askInTerminal(question.payload, { ...waiting, signal, ...(caller && { caller }) });
    });
    if (answer === undefined) return askAnew(attempt, waiting);
    return answered(question, attempt, { confirmation: answer.decision, reach: answer.reach });
  };

  return { askAnew, answered };
};

export const createGate = (needs: GateNeeds) => {
  const questions = createOpenQuestions();
  const policy = createCurrentPolicy(needs);
  const changes = createEmitter<GateChange>((error) => {
    throw error;
  });
  const changed = (change: GateChange) => changes.emit('gate', change);
  const { askAnew, answered } = createAsking({ ...needs, questions, policy, changed });

  return {
    /** A question was asked, or a lasting answer made rules; gives a function that stops listening. */
    onChange: (listen: (change: GateChange) => void) => changes.on('gate', listen),
    /** How many questions wait for an answer, beside one of the request `except`. */
    openQuestions: questions.count,
    withdraw: questions.forget,
    /** Evaluates open questions again: ends covered ones at the terminal, returns the others. */
    settle: async () => {
      await policy.refresh();
      return questions.settle({
        policyOf: ({ caller }) => policy.current(caller),
        note: (current, resources) => needs.use.note(decidingRules(current, resources)),
      });
    },
    modes: policy.modes,
    /** What holds for reading paths, by the settings of the moment in which it is first asked about one. */
    reader: policy.reader,
    access: policy.access,
    /** The paths that deny rules keep closed, by the settings that were read last. */
    deniedPaths: policy.deniedPaths,
    /** Explicit disconnect: session rules and open questions end. */
    endSession: () => {
      needs.session.end();
      questions.clear();
    },
    /**
     * Decides about one call. `confirmation` counts only as the answer to a question about this tool and
     * these arguments, and `askId` and `reach` only as that question offered them. Specification 6.2.
     */
    check: async (
      attempt: Attempt,
      { confirmation, askId, reach, signal, progress }: GateContext,
    ): Promise<Outcome> => {
      const waiting = { signal, progress };
      await policy.refresh();
      if (policy.isOff(attempt.group)) return off(attempt.group);
      const requestId = answeredRequest(questions, attempt, { confirmation, askId });
      const question = questions.of(requestId);
      if (question === undefined) return askAnew(attempt, waiting);
      if (confirmation === undefined || (askId !== undefined && askId !== question.payload.askId)) {
        // A repeat of the request, not an answer: the same question stands, unless its subject has changed.
        const isSame =
          isAbout(question, attempt) && sameResources(await attempt.inspect(), question.resources);
        if (isSame && (await policy.evaluate(question.resources, attempt.caller)).kind === 'ask')
          return { kind: 'ask', question: question.payload };
        questions.forget(requestId);
        return askAnew(attempt, waiting);
      }
      questions.forget(requestId);
      return answered(question, attempt, { confirmation, reach });
    },
  };
};

export type Gate = ReturnType<typeof createGate>;
