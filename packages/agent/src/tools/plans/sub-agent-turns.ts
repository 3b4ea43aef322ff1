import type { AgentRow, ThreadRow } from '../../rows/rows.ts';
import { openAgentStates } from '../../rows/states.ts';
import type { AgentStore } from '../../rows/store.ts';

export const subAgentKinds = ['delegate', 'background', 'planned'] as const;

/** A sub-agent, a background task or the agent of a plan's task: each can be asked again. */
export interface SubAgent {
  /** That of its first turn. */
  id: string;
  role: string;
  tools: string[];
  /** In their order. */
  turns: AgentRow[];
  last: AgentRow;
  /** Its present turn, and those that wait behind it. */
  open: AgentRow[];
}

const isOpen = ({ state }: Pick<AgentRow, 'state'>): boolean => openAgentStates.some((one) => one === state);

const isBefore = (a: AgentRow, b: AgentRow) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

/** The open turns of the same sub-agent that began before this one. */
export const turnsBefore = async (
  { store }: { store: AgentStore },
  agent: AgentRow & { continues: string },
): Promise<AgentRow[]> => {
  const { userId, threadId, continues } = agent;
  const [first, others] = await Promise.all([
    store.find('agentAgents', { userId, id: continues }),
    store.find('agentAgents', { userId, threadId, continues, state: openAgentStates }),
  ]);
  return [...first.filter(isOpen), ...others].filter((one) => isBefore(one, agent) < 0);
};

const subAgentOf = (first: AgentRow, rows: readonly AgentRow[]): SubAgent => {
  const others = rows.filter(({ continues }) => continues === first.id);
  const turns = [first, ...others];
  const { id, role, tools } = first;
  return { id, role, tools: tools ?? [], turns, last: others.at(-1) ?? first, open: turns.filter(isOpen) };
};

/** Those of a thread that are not deleted, the one that began a turn last first. */
export const subAgentsOf = async (
  { store }: { store: AgentStore },
  { userId, id: threadId }: Pick<ThreadRow, 'userId' | 'id'>,
): Promise<SubAgent[]> => {
  const where = { userId, threadId, kind: subAgentKinds, deletedAt: null };
  const rows = (await store.find('agentAgents', where, { isLenient: true })).toSorted(isBefore);
  const first = rows.filter(({ continues }) => continues === null);
  const all = first.map((one) => subAgentOf(one, rows));
  return all.toSorted((a, b) => isBefore(b.last, a.last));
};

/** By the id of one of its turns, in whatever case. */
export const subAgentWith = (all: readonly SubAgent[], id: string): SubAgent | undefined =>
  all.find(({ turns }) => turns.some((turn) => turn.id.toLowerCase() === id.toLowerCase()));

/** What it said at the end of the last turn that had a result; empty before. */
export const lastResultOf = ({ turns }: SubAgent): string =>
  turns.findLast(({ result }) => result !== '')?.result ?? '';

export const stepsOf = ({ turns }: SubAgent): number => turns.reduce((sum, { steps }) => sum + steps, 0);

/** What it does: the outcome of its last turn, where none is open. */
export const stateOf = ({ open, last }: SubAgent): string => {
  const [present] = open;
  if (!present) return last.outcome ?? 'ended';
  return present.state === 'waiting' ? 'waiting' : 'running';
};
