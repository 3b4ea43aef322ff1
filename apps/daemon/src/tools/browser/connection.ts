import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { BrowserContext, BrowserType } from 'playwright-core';
import { z } from 'zod';
import { actionMs, callMs, navigationMs } from './limits.ts';

const require = createRequire(import.meta.url);

/** What of the package is used here; its own types need two more packages. */
const mcpModule = z.object({
  createConnection: z.custom<
    (
      config: Record<string, unknown>,
      context: () => Promise<BrowserContext>,
    ) => Promise<{ connect(transport: unknown): Promise<void> }>
  >((value) => typeof value === 'function'),
});
const playwrightModule = z.object({
  chromium: z.custom<BrowserType>(
    (value) => typeof value === 'object' && value !== null && 'launch' in value,
  ),
});

/** The Playwright that the tools were made for; another copy would not understand their pages. */
export const loadChromium = (): BrowserType => {
  const own = createRequire(require.resolve('@playwright/mcp'));
  return playwrightModule.parse(own('playwright-core')).chromium;
};

const block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
]);
const answer = z.object({ content: z.array(block), isError: z.boolean().optional() });
export type Answer = z.infer<typeof answer>;

/** The tools of `@playwright/mcp` in this process, over one browser. `folder` is for their files. */
export const connectTools = async (context: () => Promise<BrowserContext>, folder: string) => {
  const { createConnection } = mcpModule.parse(require('@playwright/mcp'));
  const server = await createConnection(
    {
      outputDir: folder,
      // What a page offers as tools of its own is no tool of this machine.
      webmcp: false,
      codegen: 'none',
      snapshot: { mode: 'none' },
      console: { level: 'error' },
      timeouts: { action: actionMs, navigation: navigationMs, expect: actionMs },
    },
    context,
  );
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = new Client({ name: 'drawbridge', version: '1' }, { capabilities: { roots: {} } });
  // Paths in results are relative to this, and name nothing of the machine.
  client.setRequestHandler(ListRootsRequestSchema, async () => ({
    roots: [{ uri: pathToFileURL(folder).href }],
  }));
  await client.connect(ours);
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name: string, args: Record<string, unknown>) =>
      answer.parse(await client.callTool({ name, arguments: args }, undefined, { timeout: 2 * callMs })),
    close: () => client.close(),
  };
};
