import { defaultModes, type Mode } from '@drawbridge/contracts/groups';
import { tool as contract } from '@drawbridge/contracts/tool';
import { systemClock } from '@drawbridge/kit';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Modes } from '../permission/index.ts';
import { allToolsets } from './toolsets.ts';
import { toLazyTool } from './common/lazy-tool.ts';
import { plainToolset, type ToolsetContext, type Toolset } from './common/toolset.ts';
import { textResult } from './common/result.ts';
import { defineTool } from './common/tool.ts';
import { createToolbox } from './toolbox.ts';

const place = {
  root: '/',
  privateFolder: '/nowhere',
  clock: systemClock,
  access: async () => 'ask' as const,
};
const modesWith = (modes: Partial<Modes>): Modes => ({ ...defaultModes, ...modes });

const opened = async (toolsets: Toolset[], modes: Partial<Modes> = {}) => {
  const toolbox = createToolbox(toolsets, place);
  await toolbox.open(modesWith(modes));
  return toolbox;
};

const picture = toLazyTool(
  defineTool({
    name: 'picture',
    title: 'Picture',
    description: 'A picture.',
    group: 'computer',
    category: 'computer',
    effect: 'reads',
    input: z.strictObject({}),
    asks: () => 'Do it?',
    resources: async () => [],
    run: async () => textResult('ok'),
  }),
);

/** A family that says when it is opened and closed, and can lose its part. */
const toolset = () => {
  const events: string[] = [];
  let context: ToolsetContext | undefined;
  let missing: string | null = null;
  const lose = (what: string | null) => {
    missing = what;
    context?.changed();
  };
  const own: Toolset = {
    category: 'computer',
    groups: ['computer'],
    open: async (given) => {
      context = given;
      events.push('open');
    },
    tools: () => (missing === null ? [picture] : []),
    missing: () => missing,
    close: async () => void events.push('close'),
  };
  return { own, events, lose };
};

describe('what is offered', () => {
  it.each<[string, Partial<Modes>, string[]]>([
    [
      'reading only',
      { filesystemWrite: 'deny' },
      ['read_file', 'export_file', 'list_files', 'get_file_tree', 'search_files'],
    ],
    ['nothing where reading is on deny', { filesystemRead: 'deny' }, []],
    [
      'the shell where it is switched on',
      { filesystemRead: 'deny', shell: 'allow' },
      ['shell_execute', 'process_start', 'process_read', 'process_write', 'process_stop', 'process_list'],
    ],
  ])('%s', async (_case, modes, expected) => {
    const toolbox = await opened(allToolsets({ notify: () => {}, shellSandbox: false }), modes);
    expect(toolbox.offered(modesWith(modes)).map((tool) => tool.name)).toEqual(expected);
  });

  it('in the shape that a server takes, with a schema and hints', async () => {
    const offered = (await opened(allToolsets())).offered(modesWith({}));
    expect(offered.map((one) => contract.parse(one))).toEqual(offered);
    expect(offered.find((one) => one.name === 'delete')).toEqual({
      name: 'delete',
      title: 'Delete',
      description: 'Delete a file, a link, or a folder with all that it holds.',
      inputSchema: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Path of the file or folder, relative to the folder' },
        },
        required: ['path'],
        additionalProperties: false,
      },
      annotations: { title: 'Delete', readOnlyHint: false, destructiveHint: true, category: 'filesystem' },
    });
  });

  it('by family', async () => {
    const modes = modesWith({ filesystemWrite: 'deny' });
    const toolbox = await opened([plainToolset('filesystem', filesystem()), toolset().own], modes);
    expect(toolbox.categories(modes)).toEqual([
      { name: 'filesystem', enabled: true, writeAccess: false },
      { name: 'computer', enabled: false, reason: 'switched off on this machine' },
    ]);
  });
});

const filesystem = () => allToolsets().flatMap((one) => (one.category === 'filesystem' ? one.tools() : []));

it('the shell without a sandbox, with a warning for the person', async () => {
  const modes = modesWith({ shell: 'ask' });
  const toolbox = await opened(allToolsets({ notify: () => {}, shellSandbox: false }), modes);
  expect(toolbox.categories(modes).find((one) => one.name === 'shell')).toEqual({
    name: 'shell',
    enabled: true,
    writeAccess: true,
    reason: 'Commands run without a sandbox: they can do whatever you can do on this machine.',
  });
});

describe('a family', () => {
  it.each<[Mode, string[]]>([
    ['deny', []],
    ['ask', ['open']],
    ['allow', ['open']],
  ])('on %s: %j', async (computer, expected) => {
    const { own, events } = toolset();
    const toolbox = await opened([own], { computer });
    await toolbox.open(modesWith({ computer }));
    expect(events).toEqual(expected);
    expect(toolbox.find('picture')).toBe(computer === 'deny' ? undefined : picture);
    await toolbox.close();
    expect(events).toEqual(expected.length === 0 ? [] : ['open', 'close']);
  });

  it('that lacks something offers nothing, says why, and tells when that changes', async () => {
    const { own, lose } = toolset();
    const modes = modesWith({ computer: 'ask' });
    const toolbox = await opened([own], modes);
    const changed = vi.fn<() => void>();
    toolbox.onChanged(changed);
    lose('There is no display');
    expect(changed).toHaveBeenCalledOnce();
    expect(toolbox.offered(modes)).toEqual([]);
    expect(toolbox.categories(modes)).toEqual([
      { name: 'computer', enabled: false, reason: 'There is no display' },
    ]);
    expect(toolbox.find('picture')).toBeUndefined();
    lose(null);
    expect(toolbox.offered(modes).map((tool) => tool.name)).toEqual(['picture']);
  });
});
