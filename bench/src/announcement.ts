const schemaOf = (n: number) => ({
  type: 'object',
  properties: {
    path: { type: 'string', description: `Path of the file that tool ${n} works on, relative to the folder` },
    startLine: { type: 'integer', minimum: 1, description: 'First line, counted from 1' },
    maxLines: { type: 'integer', minimum: 1, description: 'How many lines' },
    options: { type: 'array', items: { type: 'string', enum: ['one', 'two', 'three'] } },
  },
  required: ['path'],
  additionalProperties: false,
});

/** What a machine says that offers 42 tools. */
export const announcement = JSON.stringify({
  rootPath: '/home/person/project',
  hostIdentifier: 'desk',
  tools: Array.from({ length: 42 }, (_item, n) => ({
    name: `tool_${n}`,
    title: `Tool ${n}`,
    description: `Does what tool number ${n} does, to files of the folder that the person has opened.`,
    inputSchema: schemaOf(n),
    annotations: { readOnlyHint: true, category: 'filesystem' },
  })),
  toolCategories: [{ name: 'filesystem', enabled: true, writeAccess: true }],
});

/** Each machine has an address of its own, as it would have in life. */
export const addressOf = (n: number) =>
  `127.${1 + Math.floor(n / 62_500)}.${Math.floor(n / 250) % 250}.${1 + (n % 250)}`;
