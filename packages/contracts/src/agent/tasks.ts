import { z } from 'zod';
import { agentId } from './ids.ts';

export const taskStatuses = ['todo', 'in_progress', 'done', 'failed', 'cancelled'] as const;

/** One line of the checklist that shows progress; it starts nothing. */
export const taskItem = z.object({
  id: z.string().min(1).max(64),
  description: z.string().min(1).max(500),
  detail: z.string().max(2_000).optional(),
  status: z.enum(taskStatuses),
});
export type TaskItem = z.infer<typeof taskItem>;

export const maxTasks = 30;
export const taskList = z.object({ tasks: z.array(taskItem).max(maxTasks) });
export type TaskList = z.infer<typeof taskList>;

/** `domain:<id>` is a kind of a domain adapter. */
export const planKind = z.union([
  z.enum(['delegate', 'research', 'machine', 'checkpoint']),
  z.string().regex(/^domain:[a-z0-9-]{1,32}$/),
]);
export type PlanKind = z.infer<typeof planKind>;

export const maxPlanTasks = 20;

/** One task of a plan. It starts when every task in `deps` has succeeded. */
export const planTask = z.object({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,40}$/),
  title: z.string().min(1).max(120),
  kind: planKind,
  /** The instructions of its agent. */
  spec: z.string().min(1).max(4_000),
  deps: z.array(z.string().max(40)).max(maxPlanTasks).default([]),
  tools: z.array(z.string().max(128)).max(24).default([]),
});
export type PlanTask = z.infer<typeof planTask>;

export const planTaskStates = ['waiting', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export const planStates = ['active', 'awaiting-replan', 'completed', 'cancelled'] as const;

/** A task as the person sees it. */
export const planItem = planTask.extend({
  state: z.enum(planTaskStates),
  agentId: agentId.optional(),
  /** How it ended, at most 500 characters. */
  result: z.string().optional(),
});
export type PlanItem = z.infer<typeof planItem>;

export const planView = z.object({
  planId: z.string(),
  title: z.string(),
  state: z.enum(planStates),
  items: z.array(planItem),
});
export type PlanView = z.infer<typeof planView>;
