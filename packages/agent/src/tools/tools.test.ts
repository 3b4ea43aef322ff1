import { describe, expect, it } from 'vitest';
import { searchTools } from './search.ts';
import { toolTiers, withUsed } from './tool-tiers.ts';

const tool = (name: string, description = '') => ({ name, description, inputSchema: {} });
const many = (count: number) => Array.from({ length: count }, (_, at) => tool(`tool_${at}`));
const core = [tool('plan'), tool('search_tools'), tool('load_tool')];
const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);

describe('the tools in the prompt', () => {
  it.each([
    ['24 deferred tools are all there, without the search', 24, true, ['plan', ...names(many(24))]],
    ['25 are not', 25, true, ['plan', 'search_tools', 'load_tool']],
    ['25 are, where tools are not deferred', 25, false, ['plan', ...names(many(25))]],
  ])('%s', (_what, count, areToolsDeferred, expected) => {
    const tiers = toolTiers({ core, deferred: many(count) }, { loaded: [], areToolsDeferred });
    expect(names(tiers.inPrompt)).toEqual(expected);
  });

  it('are the core tools and those that were loaded and still exist', () => {
    const tiers = toolTiers(
      { core, deferred: many(60) },
      { loaded: ['gone', 'tool_7', 'tool_3'], areToolsDeferred: true },
    );
    expect(names(tiers.inPrompt)).toEqual(['plan', 'search_tools', 'load_tool', 'tool_3', 'tool_7']);
    expect(tiers.deferred).toHaveLength(60);
  });

  it('lose the longest unused beyond 32', () => {
    const loaded = withUsed(names(many(32)), ['new', 'tool_5']);
    expect(loaded).toHaveLength(32);
    expect(loaded.slice(0, 3)).toEqual(['new', 'tool_5', 'tool_0']);
    expect(loaded).not.toContain('tool_31');
  });
});

describe('the search over tools', () => {
  const tools = [
    tool('browser_click', 'Click an element of the page.'),
    tool('screenshot', 'Take a picture of the screen, for a click later.'),
    tool('files_readFile', 'Read a text file.'),
    tool('files_writeFile', 'Write a file.'),
  ];
  it.each([
    ['a word of the name before one of the description', 'click', ['browser_click', 'screenshot']],
    ['words of one name', 'read file', ['files_readFile', 'files_writeFile']],
    ['part of a name', 'brows', ['browser_click']],
    ['any case, and marks between', 'READ-FILE!', ['files_readFile', 'files_writeFile']],
    ['nothing for unknown words', 'n8n workflow', []],
    ['nothing for no words', '  ', []],
  ])('finds %s', (_what, query, expected) => {
    expect(names(searchTools(tools, query))).toEqual(expected);
  });

  it('gives eight hits with short descriptions', () => {
    const hits = searchTools(
      many(20).map(({ name }) => tool(name, 'x'.repeat(1_000))),
      'tool',
    );
    expect(hits).toHaveLength(8);
    expect(hits[0]?.description).toHaveLength(200);
  });
});
