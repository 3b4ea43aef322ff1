import { z } from 'zod';
import { coreTool, textResult } from '../common/tool.ts';
import { cancelAgentTask, correctTask } from '../plans/background.ts';

const taskId = z.string().max(64);

export const cancelBackgroundTask = coreTool({
  name: 'cancel-background-task',
  description: 'Stop a background task.',
  input: z.strictObject({ taskId }),
  effect: 'own',
  run: async ({ ctx, args, thread }) =>
    (await cancelAgentTask(ctx, thread, args.taskId))
      ? textResult('Stopped.')
      : textResult('There is no running background task with this id.', 'failed'),
});

export const correctBackgroundTask = coreTool({
  name: 'correct-background-task',
  description: 'Send a sentence to a background task; it reads it before its next step.',
  input: z.strictObject({ taskId, text: z.string().min(1).max(2_000) }),
  effect: 'own',
  run: async ({ ctx, args, thread }) =>
    (await correctTask(ctx, thread, args))
      ? textResult('Sent.')
      : textResult('There is no running background task with this id.', 'failed'),
});
