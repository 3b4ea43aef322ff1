import type { Content } from '@drawbridge/contracts/tool-result';
import { askingTools, text } from './asking-tools.ts';
import type { SuiteTool } from './suite-tool.ts';

/** One red pixel. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** No sound at all, in WAV. */
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const image: Content = { type: 'image', data: png, mimeType: 'image/png' };
const resource = (uri: string, mimeType: string, said: string): Content => ({
  type: 'resource',
  resource: { uri, mimeType, text: said },
});

const tool = (name: string, description: string, run: SuiteTool['run']): SuiteTool => ({
  tool: { name, description, inputSchema: { type: 'object', properties: {} } },
  run,
});

const answering = (name: string, ...content: Content[]): SuiteTool =>
  tool(name, 'Answers with what the suite expects.', () => ({ content }));

const schemaTool: SuiteTool = {
  tool: {
    name: 'json_schema_2020_12_tool',
    description: 'Has a schema with the words of JSON Schema 2020-12.',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
  },
  run: () => text('done'),
};

const headerTool: SuiteTool = {
  tool: {
    name: 'test_custom_header',
    description: 'Has an argument that travels in a header too.',
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      required: ['region'],
    },
  },
  run: () => text('done'),
};

/** Comes and goes with `test_trigger_tool_change`; the first of all. */
const changing = answering('test_changing', { type: 'text', text: 'here' });

export const suiteTools: readonly SuiteTool[] = [
  changing,
  answering('test_simple_text', { type: 'text', text: 'This is a simple text response for testing.' }),
  answering('test_image_content', image),
  answering('test_audio_content', { type: 'audio', data: wav, mimeType: 'audio/wav' }),
  answering(
    'test_embedded_resource',
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  answering(
    'test_multiple_content_types',
    { type: 'text', text: 'Multiple content types test:' },
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ),
  tool('test_error_handling', 'Always fails.', () => ({
    ...text('This tool intentionally returns an error for testing'),
    isError: true,
  })),
  tool('test_tool_with_progress', 'Says how far it is.', async ({ say }) => {
    for (const progress of [0, 50, 100]) await say({ progress, total: 100 });
    return text('done');
  }),
  answering('test_logging_tool', { type: 'text', text: 'A machine sends no log.' }),
  answering('test_tool_with_logging', { type: 'text', text: 'A machine sends no log.' }),
  tool('test_trigger_tool_change', 'Changes the list of tools.', async ({ changeTools }) => {
    await changeTools();
    return text('changed');
  }),
  schemaTool,
  headerTool,
  ...askingTools,
];
