import {
  errorTable,
  type ConfirmationPayload,
  type Decision,
  type Mode,
  type ToolGroup,
} from '@drawbridge/contracts';
import { errors } from './errors.ts';
import { deniedPaths, prepareDenials, type DeniedPaths } from './deny.ts';
import { evaluate, evaluateAll, isDenied, rulesAtWork, type Policy } from './evaluate.ts';
import {
  buildQuestion,
  givenAnswer,
  isAbout,
  sameResources,
  type Attempt,
  type Given,
  type Question,
} from './question.ts';
import { effectiveModes, type Modes } from './modes.ts';
import { exactRule } from './reach.ts';
import type { Resource } from './resource.ts';
import type { RuleUse } from './rule-use.ts';
import type { Session } from './session.ts';
import type { SettingsStore } from './settings.ts';
import { visible } from './show.ts';

/** What the person at the terminal said; `reach` is the id of one that the question offers. */
export interface TerminalAnswer {
  decision: Decision;
  reach?: string;
}

/** Where a question goes: back to the server for the panel, or to the person at this terminal. */
export type Ask =
  | { kind: 'panel' }
  | {
      kind: 'terminal';
      askInTerminal(question: ConfirmationPayload, signal: AbortSignal): Promise<TerminalAnswer>;
    };

/** `run`: these arguments, touching these resources and nothing else. */
export type Outcome =
  | { kind: 'run'; arguments: Record<string, unknown>; granted: Resource[] }
  | { kind: 'ask'; question: ConfirmationPayload }
  | { kind: 'denied'; reason: string };

/** What came with a call beside what it wants. */
export interface GateContext {
  confirmation: unknown;
  askId?: string | undefined;
  reach?: string | undefined;
  signal: AbortSignal;
}

export interface GateNeeds {
  settings: SettingsStore;
  session: Session;
  ask: Ask;
  use: Pick<RuleUse, 'note'>;
  /** The real path of the folder that file tools work in. */
  root: string;
}

/** What the person's settings say about reading one path. */
export interface Reading {
  mode(path: string): Mode;
  /** Whether the mode is `deny`, found out at less cost. */
  isDenied(path: string): boolean;
}

export interface Gate {
  /**
   * Decides about one call. `confirmation` is what came as `_confirmation`: it counts only as the answer to a question that
   * was asked for this request, about this tool and these arguments. Where `askId` names the question that it answers, an
   * answer to an earlier question is none to the one that stands now. `reach` is how far it goes: one that was not offered
   * with the decision makes it a denial. Specification 6.2.
   */
  check(attempt: Attempt, context: GateContext): Promise<Outcome>;
  /** What holds for reading paths, by the settings of the moment in which it is first asked about one. */
  reader(): Promise<Reading>;
  /** What holds for one resource, by the settings of this moment. */
  access(resource: Resource): Promise<Mode>;
  /** The paths that deny rules keep closed, by the settings that were read last. */
  deniedPaths(): DeniedPaths;
  /** The modes that hold now. */
  modes(): Modes;
  /** Explicit disconnect: session rules and open questions end. */
  endSession(): void;
}

/** A server that never answers cannot fill the memory; the oldest question goes first, and is asked again when its answer comes. */
const maxQuestions = 1_000;

const byPerson: Outcome = { kind: 'denied', reason: errorTable.denied.message };
const denied = (reason: string): Outcome => ({ kind: 'denied', reason: `Access denied: ${reason}` });

export const createGate = ({ settings, session, ask, use, root }: GateNeeds): Gate => {
  const questions = new Map<string, Question>();

  const modes = (): Modes => ({ ...settings.modes(), ...session.modes(), system: settings.modes().system });
  const policy = (): Policy => ({
    modes: modes(),
    deny: prepareDenials(settings.rules().deny),
    allow: [...settings.rules().allow, ...session.rules().map(({ rule }) => rule)],
    root,
  });

  const refresh = () =>
    settings.refresh().catch((cause: unknown) => {
      throw errors.settingsUnusable({ cause });
    });

  const evaluateNow = async (resources: Resource[]) => {
    await refresh();
    const now = policy();
    const evaluation = evaluateAll(now, resources);
    if (evaluation.kind !== 'ask') use.note(rulesAtWork(now, resources));
    return evaluation;
  };

  const isOff = (group: ToolGroup): boolean => effectiveModes(modes())[group] === 'deny';
  const off = (group: ToolGroup): Outcome => denied(`${group} is switched off on this machine`);
  const refuse = ({ toolGroup, resource }: Resource): Outcome =>
    isOff(toolGroup) ? off(toolGroup) : denied(`a rule forbids ${visible(resource)}`);

  const keep = (requestId: string, question: Question): Outcome => {
    questions.delete(requestId);
    questions.set(requestId, question);
    for (const oldest of questions.keys()) {
      if (questions.size <= maxQuestions) break;
      questions.delete(oldest);
    }
    return { kind: 'ask', question: question.payload };
  };

  const allow = async ({ decision, rules, forMs }: Given): Promise<void> => {
    if (decision === 'allowForSession') session.allow(rules, forMs);
    if (decision === 'alwaysAllow') await settings.addRules('allow', rules);
  };

  /** Whether a yes still fits: the same things, seen the same way, and nothing more to ask about. */
  const stillFits = async (question: Question, attempt: Attempt, given: Given): Promise<boolean> => {
    if (!sameResources(await attempt.look(), question.resources)) return false;
    if (given.decision !== 'allowOnce') return true;
    return (await attempt.preview())?.text === question.preview?.text;
  };

  const approve = async (question: Question, attempt: Attempt, given: Given): Promise<Outcome> => {
    if (!(await stillFits(question, attempt, given))) return askAnew(attempt);
    await refresh();
    const covered = [...policy().allow, ...question.asking.map(exactRule)];
    const now = evaluateAll({ ...policy(), allow: covered }, question.resources);
    if (now.kind !== 'run') return askAnew(attempt);
    await allow(given);
    return { kind: 'run', arguments: question.arguments, granted: question.resources };
  };

  const decide = async (question: Question, attempt: Attempt, given: Given): Promise<Outcome> => {
    switch (given.decision) {
      case 'allowOnce':
      case 'allowForSession':
      case 'alwaysAllow':
        return approve(question, attempt, given);
      case 'denyOnce':
        return byPerson;
      case 'alwaysDeny':
        await settings.addRules('deny', given.rules);
        return byPerson;
      default:
        return given.decision satisfies never;
    }
  };

  const answered = async (
    question: Question,
    attempt: Attempt,
    answer: Pick<GateContext, 'confirmation' | 'reach'>,
  ): Promise<Outcome> => {
    const given = givenAnswer(question, answer);
    return given !== undefined && isAbout(question, attempt)
      ? decide(question, attempt, given)
      : denied('the answer does not fit what was asked');
  };

  /** Evaluates from the start; in the terminal the loop ends with an answer, on the server's side with a question. */
  const askAnew = async (attempt: Attempt, signal?: AbortSignal): Promise<Outcome> => {
    const resources = await attempt.look();
    const evaluation = await evaluateNow(resources);
    if (evaluation.kind === 'denied') return refuse(evaluation.resource);
    if (evaluation.kind === 'run') return { kind: 'run', arguments: attempt.arguments, granted: resources };
    const [first, ...rest] = evaluation.asking;
    if (first === undefined) return denied('there was nothing to ask about');
    const question = await buildQuestion(attempt, { resources, asking: [first, ...rest] }, root);
    if (ask.kind === 'panel') return keep(attempt.requestId, question);
    if (signal === undefined) return denied('what it would touch changed while you were asked');
    const { decision, reach } = await ask.askInTerminal(question.payload, signal);
    return answered(question, attempt, { confirmation: decision, reach });
  };

  return {
    modes,
    reader: async () => {
      await refresh();
      let read: Policy | undefined;
      const now = () => (read ??= policy());
      const resource = (path: string): Resource => ({
        toolGroup: 'filesystemRead',
        resource: path,
        description: path,
      });
      return {
        mode: (path) => evaluate(now(), resource(path)),
        isDenied: (path) => isDenied(now(), resource(path)),
      };
    },
    access: async (resource) => {
      await refresh();
      return evaluate(policy(), resource);
    },
    deniedPaths: () => deniedPaths(settings.rules().deny),
    endSession: () => {
      session.end();
      questions.clear();
    },
    check: async (attempt, { confirmation, askId, reach, signal }) => {
      await refresh();
      if (isOff(attempt.group)) return off(attempt.group);
      const question = questions.get(attempt.requestId);
      if (question === undefined) return askAnew(attempt, signal);
      if (confirmation === undefined || (askId !== undefined && askId !== question.payload.askId)) {
        // A repeat of the request, not an answer: the same question stands, unless what it is about has changed.
        const same = isAbout(question, attempt) && sameResources(await attempt.look(), question.resources);
        if (same && (await evaluateNow(question.resources)).kind === 'ask')
          return { kind: 'ask', question: question.payload };
        questions.delete(attempt.requestId);
        return askAnew(attempt, signal);
      }
      questions.delete(attempt.requestId);
      return answered(question, attempt, { confirmation, reach });
    },
  };
};
