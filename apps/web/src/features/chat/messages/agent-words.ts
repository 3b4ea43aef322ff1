import { openTasks, type TreeNode } from '@drawbridge/agent/view';
import type { EndStatus, Usage } from '@drawbridge/contracts/agent/events';
import type { PlanView } from '@drawbridge/contracts/agent/tasks';
import { runtimeTitle } from '@drawbridge/contracts/machines/runtimes';
import type { ThreadView, ViewAgent, ViewRun } from '@drawbridge/contracts/agent/threads';
import { amount, capital, counted, duration } from '../../../ui/text/format.ts';
import { causeOf, type LinePart } from './call-words.ts';

const statusLabels: Record<EndStatus, string> = {
  completed: 'done',
  cancelled: 'stopped',
  error: 'failed',
  interrupted: 'interrupted',
};

/** "Writer": the title of an agent, else its role. */
export const agentName = ({ title, role }: Pick<ViewAgent, 'title' | 'role'>): string =>
  capital(title || role || 'main agent');

/** "Built-in agent", "Codex", "Writer": who asks the person. */
export const askerName = (agent: Pick<ViewAgent, 'kind' | 'runtime' | 'title' | 'role'>): string => {
  if (agent.runtime !== undefined) return runtimeTitle(agent.runtime);
  return agent.kind === 'main' ? 'Built-in agent' : agentName(agent);
};

const stateOf = ({ status, error, startedAt }: ViewAgent): LinePart => {
  if (status === null) return { text: 'running', since: startedAt };
  if (status !== 'error') return { text: statusLabels[status] };
  const cause = causeOf(error ?? '');
  return { text: statusLabels.error, tone: 'text-error', ...(cause !== '' && { cause }) };
};

/** How long it worked; nothing while it does. */
const timeOf = ({ startedAt, endedAt }: ViewAgent): LinePart[] =>
  endedAt === null ? [] : [{ text: duration(endedAt - startedAt) }];

/** How a sub-agent stands, and what led to it. */
export const agentParts = (agent: ViewAgent, waiting: number): LinePart[] => [
  ...(agent.runtime === undefined ? [] : [{ text: runtimeTitle(agent.runtime) }]),
  ...(agent.continues === undefined ? [] : [{ text: 'asked again' }]),
  waiting > 0 ? { text: 'waits for you', tone: 'text-warning' } : stateOf(agent),
  ...(agent.isDeleted && waiting === 0 ? [{ text: 'deleted' }] : []),
  ...timeOf(agent),
];

/** "waits for you", "running", "done · 12.0 s", "Codex · asked again · done · 12.0 s" */
export const agentState = (agent: ViewAgent, waiting: number): string =>
  agentParts(agent, waiting)
    .map(({ text }) => text)
    .join(' · ');

/** The same as a shape, with its colour. */
export const agentIcon = (
  { status }: Pick<ViewAgent, 'status'>,
  waiting: number,
): { icon: string; tone: string } => {
  if (waiting > 0) return { icon: 'i-lucide-circle-help', tone: 'text-warning' };
  switch (status) {
    case null:
      return { icon: 'i-lucide-loader', tone: 'text-primary animate-spin motion-reduce:animate-none' };
    case 'completed':
      return { icon: 'i-lucide-circle-check', tone: 'text-success' };
    case 'error':
      return { icon: 'i-lucide-circle-x', tone: 'text-error' };
    case 'cancelled':
    case 'interrupted':
      return { icon: 'i-lucide-circle-slash', tone: 'text-muted' };
    default:
      return status satisfies never;
  }
};

export const findNode = (nodes: readonly TreeNode[], agentId: string): TreeNode | undefined => {
  for (const node of nodes) {
    const found = node.agent.id === agentId ? node : findNode(node.children, agentId);
    if (found) return found;
  }
  return undefined;
};

const cost = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });

/** "0.21", of millionths. */
export const costWords = (costMicro: number): string => cost.format(costMicro / 1_000_000);

const tokenWords = ({ inputTokens, outputTokens, estimated, runtime }: Usage): string[] => {
  // A coding agent has an account of its own.
  if (runtime !== undefined)
    return [`${amount(runtime.tokens)} tokens in the context of ${runtimeTitle(runtime.id)}`];
  const tokens = inputTokens + outputTokens;
  return tokens === 0 ? [] : [`${estimated ? 'about ' : ''}${amount(tokens)} tokens`];
};

/** "41,000 tokens · cost 0.21"; empty where nothing is known. */
export const usageWords = (usage: Usage): string =>
  [
    ...tokenWords(usage),
    ...(usage.costMicro === undefined ? [] : [`cost ${costWords(usage.costMicro)}`]),
  ].join(' · ');

/** "2 of 5": the tasks of a plan that are done. */
export const planCount = ({ items }: PlanView): string =>
  `${items.filter(({ state }) => state === 'succeeded').length} of ${items.length}`;

/** What a run left at work: "Plan: 1 of 4 done", "2 tasks running", "1 question for you"; else empty. */
export const workWords = (view: ThreadView, runId: string): string => {
  const isOfRun = (agentId?: string) => view.agents[agentId ?? '']?.runId === runId;
  if (view.plan?.state === 'active' && view.plan.items.some(({ agentId }) => isOfRun(agentId)))
    return `Plan: ${planCount(view.plan)} done`;
  const tasks = openTasks(view).filter(({ id }) => isOfRun(id)).length;
  if (tasks > 0) return `${counted(tasks, 'task')} running`;
  const asks = Object.values(view.asks).filter(({ toolCallId }) =>
    isOfRun(view.calls[toolCallId ?? '']?.agentId),
  ).length;
  return asks > 0 ? `${counted(asks, 'question')} for you` : '';
};

/** "Link checker ended": the background work whose end began a follow-up run. */
export const followedWords = (view: ThreadView, run: Pick<ViewRun, 'id' | 'startedAt'>): string => {
  const before = view.runs[view.runs.findIndex(({ id }) => id === run.id) - 1]?.endedAt ?? run.startedAt;
  const endOf = ({ endedAt }: ViewAgent) => endedAt ?? Number.POSITIVE_INFINITY;
  const ended = Object.values(view.agents)
    .filter(({ kind }) => kind === 'background' || kind === 'planned')
    .filter((agent) => endOf(agent) <= run.startedAt)
    .toSorted((a, b) => endOf(a) - endOf(b));
  const since = ended.filter((agent) => endOf(agent) > before);
  // One that ended during the run before is reported after it.
  const [first, ...others] = since.length > 0 ? since : ended.slice(-1);
  if (first === undefined) return 'Background work ended';
  return `${agentName(first)}${others.length > 0 ? ` and ${others.length} more` : ''} ended`;
};
