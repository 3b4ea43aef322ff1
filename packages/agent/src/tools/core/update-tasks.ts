import { taskList } from '@drawbridge/contracts/agent/tasks';
import { z } from 'zod';
import { eventOf } from '../../rows/events.ts';
import { update } from '../../rows/store.ts';
import { coreTool, textResult } from '../common/tool.ts';

/** The checklist that the person sees. It starts nothing. */
export const updateTasks = coreTool({
  name: 'update-tasks',
  description:
    'Show the person a checklist of your work and keep it up to date. Send the whole list each time. It starts nothing.',
  input: z.strictObject({ tasks: taskList.shape.tasks }),
  effect: 'own',
  run: async ({ ctx, args, agent, thread }) => ({
    ...textResult('The list is shown.'),
    writes: [
      update('agentThreads', { userId: thread.userId, id: thread.id }, { tasks: args.tasks }),
      eventOf(ctx, agent, 'tasks-update', { tasks: { tasks: args.tasks } }),
    ],
  }),
});
