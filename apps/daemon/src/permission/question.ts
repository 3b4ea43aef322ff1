import {
  decision,
  decisions,
  type AffectedResource,
  type ConfirmationPayload,
  type Decision,
  type Preview,
  type ToolGroup,
} from '@drawbridge/contracts';
import { nanoid } from 'nanoid';
import { canonical } from './canonical.ts';
import type { Resource } from './resource.ts';
import { shown, visible, visibleLines } from './show.ts';

/** One call as the gate sees it: what it would run, and how to look at what that would touch. */
export interface Attempt {
  requestId: string;
  tool: string;
  group: ToolGroup;
  /** Without `_confirmation`. */
  arguments: Record<string, unknown>;
  look(): Promise<Resource[]>;
  preview(): Promise<Preview | undefined>;
}

/** What was asked, and all that its answer may start. */
export interface Question {
  tool: string;
  arguments: Record<string, unknown>;
  /** Every resource of the call, also those that needed no question. */
  resources: Resource[];
  asking: Resource[];
  preview: Preview | undefined;
  payload: ConfirmationPayload & { options: Decision[] };
}

const toShow = ({ toolGroup, resource, description }: Resource): AffectedResource => ({
  toolGroup,
  resource,
  description: shown(description),
});

const previewToShow = (preview: Preview): Preview => ({
  ...preview,
  path: visible(preview.path),
  text: visibleLines(preview.text),
});

/** What cannot be seen as it is can be allowed this once, and no further. */
const optionsFor = (asking: readonly Resource[]): Decision[] => {
  const isPlain = asking.every(({ resource }) => visibleLines(resource) === resource);
  return decisions.filter((one) => isPlain || (one !== 'allowForSession' && one !== 'alwaysAllow'));
};

export const buildQuestion = async (
  attempt: Attempt,
  resources: Resource[],
  asking: readonly [Resource, ...Resource[]],
): Promise<Question> => {
  const preview = await attempt.preview();
  return {
    tool: attempt.tool,
    arguments: attempt.arguments,
    resources,
    asking: [...asking],
    preview,
    payload: {
      ...toShow(asking[0]),
      options: optionsFor(asking),
      resources: asking.map(toShow),
      ...(preview && { preview: previewToShow(preview) }),
      askId: nanoid(),
    },
  };
};

/** Whether a call is the one that the question was about. */
export const isAbout = (question: Question, attempt: Attempt): boolean =>
  question.tool === attempt.tool && canonical(question.arguments) === canonical(attempt.arguments);

export const sameResources = (a: readonly Resource[], b: readonly Resource[]): boolean =>
  canonical(a) === canonical(b);

/** The decision in `_confirmation` when it is one that the question offered. */
export const offeredDecision = (question: Question, confirmation: unknown): Decision | undefined => {
  const parsed = decision.safeParse(confirmation);
  return parsed.success && question.payload.options.includes(parsed.data) ? parsed.data : undefined;
};
