import { newArtifact } from '@drawbridge/contracts/agent/canvas';
import { CodedError } from '@drawbridge/kit';
import { z } from 'zod';
import { coreTool, textResult, type ToolOutcome } from '../common/tool.ts';

/** What the canvas refuses is a sentence for the model. */
const orSentence = async (use: () => Promise<ToolOutcome>): Promise<ToolOutcome> => {
  try {
    return await use();
  } catch (error) {
    if (error instanceof CodedError) return textResult(`${error.message}.`, 'failed');
    throw error;
  }
};

/** Clients write documents too: what they hold is data. */
const fromCanvas = (text: string): ToolOutcome => ({ ...textResult(text), source: 'canvas' });

export const canvasPut = coreTool({
  name: 'canvas_put',
  description:
    'Stores a named document beside the conversation and shows it to the person; the same artifactId replaces it. Type "note" with content {"markdown": "..."} shows as text, every other type as JSON.',
  // After a crash it runs again: the same document is stored once more.
  effect: 'own',
  input: newArtifact,
  run: ({ ctx, thread, args }) =>
    orSentence(async () => {
      const { artifact } = await ctx.canvas.put(thread.userId, thread.id, args);
      return textResult(`Stored as ${artifact.artifactId}, revision ${artifact.rev}.`);
    }),
});

export const canvasGet = coreTool({
  name: 'canvas_get',
  description: 'Reads a named document of this conversation, or lists them all without an artifactId.',
  effect: 'read',
  input: z.object({ artifactId: newArtifact.shape.artifactId.optional() }),
  run: ({ ctx, thread, args: { artifactId } }) =>
    orSentence(async () => {
      if (artifactId !== undefined)
        return fromCanvas(JSON.stringify(await ctx.canvas.get(thread.userId, thread.id, artifactId)));
      const { artifacts, total } = await ctx.canvas.list(thread.userId, thread.id, { limit: 50, offset: 0 });
      const lines = artifacts.map(({ artifactId: id, type, title }) => `${id} (${type}) ${title ?? ''}`);
      return fromCanvas([`${total} documents`, ...lines].join('\n'));
    }),
});
