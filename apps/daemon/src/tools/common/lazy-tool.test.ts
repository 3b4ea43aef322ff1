import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { toLazyTool, toLazyTools, toDescribedTool } from './lazy-tool.ts';
import { textResult } from './result.ts';
import { defineTool, type DaemonTool } from './tool.ts';

const tool = (name: string): DaemonTool =>
  defineTool({
    name,
    title: 'A tool',
    description: 'It does something.',
    group: 'system',
    category: 'system',
    effect: 'adds',
    input: z.strictObject({ word: z.string() }),
    asks: () => 'Do it?',
    resources: async () => [],
    run: async () => textResult('ok'),
  });

const [first, second] = [tool('first'), tool('second')];
const listedFirst = {
  descriptor: {
    name: 'first',
    title: 'A tool',
    description: 'It does something.',
    inputSchema: {
      type: 'object',
      properties: { word: { type: 'string' } },
      required: ['word'],
      additionalProperties: false,
    },
    annotations: { title: 'A tool', readOnlyHint: false, destructiveHint: false, category: 'system' },
  },
  group: 'system',
  effect: 'adds',
};

describe('an entry of the list of tools', () => {
  it('of a tool that is there', async () => {
    const { load, ...descriptors } = toLazyTool(first);
    expect(descriptors).toEqual(listedFirst);
    expect(await load()).toBe(first);
  });

  it('stands before the tool is loaded, and loads those of one place once', async () => {
    const load = vi.fn<() => Promise<DaemonTool[]>>(async () => [second, first]);
    const entries = toLazyTools([toDescribedTool(first), toDescribedTool(second)], load);
    expect(entries.map(({ descriptor }) => descriptor.name)).toEqual(['first', 'second']);
    expect(load).not.toHaveBeenCalled();
    expect(await Promise.all(entries.map((entry) => entry.load()))).toEqual([first, second]);
    expect(load).toHaveBeenCalledOnce();
  });

  it('tries again after a load that failed', async () => {
    const load = vi
      .fn<() => Promise<DaemonTool[]>>(async () => [first])
      .mockRejectedValueOnce(new Error('too many open files'));
    const entries = toLazyTools([toDescribedTool(first)], load);
    await expect(entries[0]?.load()).rejects.toThrow('too many open files');
    expect(await entries[0]?.load()).toBe(first);
  });

  it('of a tool that is not where it is looked for is unknown', async () => {
    const [entry] = toLazyTools([toDescribedTool(second)], async () => [first]);
    await expect(entry?.load()).rejects.toMatchObject({ code: 'UNKNOWN_TOOL' });
  });
});
