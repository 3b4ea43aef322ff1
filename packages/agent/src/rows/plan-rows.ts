import { planKind, planStates, planTaskStates } from '@drawbridge/contracts/agent/tasks';
import { z } from 'zod';
import { json, table, text, textOrNull, whole } from './columns.ts';

/** Plans and their tasks. A part of `rows.ts`. */
export const planTables = {
  agentPlans: table(['userId', 'id'], {
    userId: text,
    id: text,
    threadId: text,
    runId: text,
    title: text,
    state: z.enum(planStates),
    createdAt: whole,
    updatedAt: whole,
  }),
  agentPlanTasks: table(['userId', 'planId', 'taskId'], {
    userId: text,
    planId: text,
    taskId: text,
    n: whole,
    title: text,
    kind: planKind,
    spec: text,
    deps: json(z.array(text)),
    tools: json(z.array(text)),
    state: z.enum(planTaskStates),
    agentId: textOrNull,
    tries: whole,
    /** Failure signatures of its verdicts. */
    signatures: json(z.array(text)),
    /** The end that its verdicts have led to; null before it. */
    verdict: z.enum(['done', 'failed']).nullable(),
    result: text,
  }),
};
