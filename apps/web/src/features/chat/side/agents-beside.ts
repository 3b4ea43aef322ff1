import { tree, type TreeNode } from '@drawbridge/agent/view';
import type { ThreadView } from '@drawbridge/contracts/agent/threads';

const isWorking = ({ agent, children, waiting }: TreeNode): boolean =>
  agent.status === null || waiting > 0 || children.some(isWorking);

/** What is left of a tree without these agents: their children stand in their place. */
const without = (nodes: readonly TreeNode[], isOut: (node: TreeNode) => boolean): TreeNode[] =>
  nodes.flatMap((node) => {
    const children = without(node.children, isOut);
    return isOut(node) ? children : [{ ...node, children }];
  });

/**
 * The sub-agents that are listed beside a chat: all that work, and those of the newest run that had any. Main
 * agents have their state above the prompt, agents of the plan in the plan.
 */
export const agentsBeside = (view: ThreadView): TreeNode[] => {
  const planned = new Set(view.plan?.items.map(({ agentId }) => agentId));
  const nodes = without(tree(view), ({ agent }) => agent.kind === 'main' || planned.has(agent.id));
  const newest = view.runs.findLast(({ id }) => nodes.some(({ agent }) => agent.runId === id))?.id;
  return without(nodes, (node) => node.agent.runId !== newest && !isWorking(node));
};
