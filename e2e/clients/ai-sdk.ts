import { createMCPClient } from '@ai-sdk/mcp';
import { bearer, outcomeOf, type Connect } from './client.ts';

/** The client of the AI SDK, whose tools are functions. */
export const connectAiSdk: Connect = async (address) => {
  const client = await createMCPClient({
    transport: { type: 'http', url: address.url, headers: bearer(address) },
  });
  return {
    tools: async () => Object.keys(await client.tools()),
    call: async (name, given, signal) => {
      const tool = (await client.tools())[name];
      if (!tool) throw new Error(`No tool ${name}`);
      const options = { toolCallId: name, messages: [], ...(signal && { abortSignal: signal }) };
      return outcomeOf(await tool.execute(given, options));
    },
    close: () => client.close(),
  };
};
