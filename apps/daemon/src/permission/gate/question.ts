import type {
  AffectedResource,
  AskCause,
  ConfirmationPayload,
} from '@drawbridge/contracts/confirmation-payload';
import { decision, decisions, type Decision, type ToolGroup } from '@drawbridge/contracts/groups';
import type { Preview } from '@drawbridge/contracts/preview';
import { canonical, isDrawnOtherwise } from '@drawbridge/kit';
import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import { nanoid } from 'nanoid';
import { whySensitive } from '../rules/sensitive-paths.ts';
import { effectiveModes, type Modes } from '../rules/modes.ts';
import { exactRule, offerScopes, type OfferedScope } from '../rules/scope.ts';
import type { Resource } from '../rules/resource.ts';
import type { Rule } from '../rules/rule.ts';
import { ruleCallerOf } from '../rules/rule-caller.ts';

/** One call as the gate sees it: what it would run, and how to look at what that would touch. */
export interface Attempt {
  requestId: string;
  tool: string;
  group: ToolGroup;
  /** Who makes the call, as the server says. */
  caller?: RequestCaller;
  /** Without `_confirmation`. */
  arguments: Record<string, unknown>;
  inspect(): Promise<Resource[]>;
  title(resources: readonly Resource[]): Promise<string>;
  preview(): Promise<Preview | undefined>;
}

export interface Question extends Pick<Attempt, 'caller'> {
  tool: string;
  arguments: Record<string, unknown>;
  /** Every resource of the call, also those that needed no question. */
  resources: Resource[];
  asking: Resource[];
  preview: Preview | undefined;
  reaches: OfferedScope[];
  payload: ConfirmationPayload & { options: Decision[] };
}

const toShow = (resource: Resource, guard: string | undefined): AffectedResource => ({
  toolGroup: resource.toolGroup,
  resource: resource.resource,
  description: resource.description + (guard === undefined ? '' : ` (careful: ${guard})`),
});

/** What cannot be drawn as it stands, or says so itself, can be allowed this once, and no further. */
const mayLast = (asking: readonly Resource[]): boolean =>
  asking.every(({ resource, once }) => !once && !isDrawnOtherwise(resource));

/** The decisions that are left, where what is asked about cannot be allowed for long. */
const fitting = (all: readonly Decision[], asking: readonly Resource[]): Decision[] => {
  const isForSession = mayLast(asking);
  const isForGood = isForSession && !asking.some(({ sessionOnly }) => sessionOnly);
  return all.filter(
    (option) => (isForSession || option !== 'allowForSession') && (isForGood || option !== 'alwaysAllow'),
  );
};

/** Once for each group and cause. */
const causesOf = (asking: readonly Resource[], modes: Modes): AskCause[] => {
  const effective = effectiveModes(modes);
  const causes = asking.map(({ toolGroup }) => ({
    toolGroup,
    cause: effective[toolGroup] === 'allow' ? 'careful' : 'mode',
  }));
  return causes.filter(
    ({ toolGroup, cause }, at) =>
      causes.findIndex((other) => other.toolGroup === toolGroup && other.cause === cause) === at,
  );
};

export const buildQuestion = async (
  attempt: Attempt,
  about: { resources: Resource[]; asking: readonly [Resource, ...Resource[]]; modes: Modes },
  root: string,
): Promise<Question> => {
  const { resources, asking, modes } = about;
  const [title, preview] = await Promise.all([attempt.title(resources), attempt.preview()]);
  const show = (resource: Resource) => toShow(resource, whySensitive(root, resource));
  const offered = mayLast(asking)
    ? await offerScopes(asking, { root, caller: ruleCallerOf(attempt.caller) })
    : [];
  const reaches = offered.map(({ reach, rules }) => ({
    reach: { ...reach, decisions: fitting(reach.decisions, asking) },
    rules,
  }));
  return {
    tool: attempt.tool,
    ...(attempt.caller && { caller: attempt.caller }),
    arguments: attempt.arguments,
    resources,
    asking: [...asking],
    preview,
    reaches,
    payload: {
      ...show(asking[0]),
      title,
      options: fitting(decisions, asking),
      resources: asking.map(show),
      ...(preview && { preview }),
      why: causesOf(asking, modes),
      ...(reaches.length > 0 && { reaches: reaches.map(({ reach }) => reach) }),
      askId: nanoid(),
    },
  };
};

/** The same caller asks for the same thing. */
export const isAbout = (question: Question, attempt: Attempt): boolean =>
  question.tool === attempt.tool &&
  ruleCallerOf(question.caller)?.id === ruleCallerOf(attempt.caller)?.id &&
  canonical(question.arguments) === canonical(attempt.arguments);

export const sameResources = (a: readonly Resource[], b: readonly Resource[]): boolean =>
  canonical(a) === canonical(b);

/** An answer that fits its question: the decision, and the rules that it makes where it lasts. */
export interface ParsedAnswer {
  decision: Decision;
  rules: Rule[];
  /** Absent: as long as the decision says. */
  forMs: number | undefined;
}

/** What came as `_confirmation` and `reach`, when the question offered the one, and the other with it. */
export const parseAnswer = (
  question: Question,
  answer: { confirmation: unknown; reach?: string | undefined },
): ParsedAnswer | undefined => {
  const parsed = decision.safeParse(answer.confirmation);
  if (!parsed.success || !question.payload.options.includes(parsed.data)) return undefined;
  if (answer.reach === undefined)
    return { decision: parsed.data, rules: question.asking.map(exactRule), forMs: undefined };
  const chosen = question.reaches.find(({ reach }) => reach.id === answer.reach);
  if (chosen === undefined || !chosen.reach.decisions.includes(parsed.data)) return undefined;
  return { decision: parsed.data, rules: chosen.rules, forMs: chosen.reach.durationMs };
};
