import type { Tool, ToolCategory } from '@drawbridge/contracts';
import type { Dispatch } from '../link/index.ts';

/** What this machine offers in one session. */
export interface Offer {
  tools: Tool[];
  toolCategories: ToolCategory[];
  dispatch: Dispatch;
  /** Forgets the rules that held for the session. */
  endSession(): void;
}

export const openOffer = async (): Promise<Offer> => ({
  tools: [],
  toolCategories: [],
  dispatch: async (request) => ({ content: [{ type: 'text', text: `No tool ${request.toolCall.name}` }], isError: true }),
  endSession: () => {},
});
