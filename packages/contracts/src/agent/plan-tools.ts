import type { PlanTask } from './tasks.ts';

type ToolsOf = Pick<PlanTask, 'kind' | 'tools'>;

const researchTools = ['fetch-url', 'web-search', 'read-result'];

/** The tools that a task's agent may use; `all`: every tool of the machine, the workspace and products. */
export const toolsOfTask = ({ kind, tools }: ToolsOf): 'all' | string[] => {
  if (kind === 'research') return [...new Set([...researchTools, ...tools])];
  return tools.length === 0 && (kind === 'machine' || kind.startsWith('domain:')) ? 'all' : [...tools];
};

/** The same in words, for the person who is asked whether the plan may start. */
export const toolWordsOfTask = (task: ToolsOf): string => {
  if (task.kind === 'checkpoint') return 'nothing: the main agent judges';
  const tools = toolsOfTask(task);
  if (tools === 'all') return 'every tool of the machine, the workspace and connected products';
  return tools.length === 0 ? 'no tools' : tools.join(', ');
};
