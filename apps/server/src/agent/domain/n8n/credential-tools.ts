import { z } from 'zod';
import { asText, defineTool } from './tool.ts';

/** Nothing else of a credential is read, whatever n8n gives. */
const listed = z.object({
  data: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() })),
  nextCursor: z.string().nullish(),
});
const credentialType = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);

const listCredentials = defineTool({
  name: 'list_credentials',
  description: 'Lists credentials of n8n: id, name and type, never their values.',
  input: z.strictObject({
    limit: z.int().min(1).max(100).default(50),
    cursor: z.string().max(500).optional(),
  }),
  effect: 'read',
  endpoints: ['GET /credentials'],
  describe: () => 'List the names of credentials of n8n.',
  run: async (query, { api, signal }) => {
    const { data, nextCursor } = listed.parse(await api.ask({ path: 'credentials', query, signal }));
    return { text: asText({ credentials: data, nextCursor }, api), data, link: api.link('home/credentials') };
  },
});

const credentialSchema = defineTool({
  name: 'credential_schema',
  description: 'Gives the fields that a type of credential of n8n has.',
  input: z.strictObject({ type: credentialType }),
  effect: 'read',
  endpoints: ['GET /credentials/schema/{}'],
  describe: ({ type }) => `Read the fields of the credential type ${type} of n8n.`,
  run: async ({ type }, { api, signal }) => ({
    text: asText(await api.ask({ path: `credentials/schema/${type}`, signal }), api),
  }),
});

const createCredential = defineTool({
  name: 'create_credential',
  description:
    'Gives the person a link to create a credential in n8n. Secrets are never passed through here.',
  input: z.strictObject({ type: credentialType }),
  effect: 'read',
  endpoints: null,
  describe: ({ type }) => `Show a link to create a credential of the type ${type} in n8n.`,
  run: async ({ type }, { api }) => ({
    text: `The person has a link to create a credential of the type ${type} in n8n.`,
    link: api.link('home/credentials/create'),
  }),
});

export const credentialTools = [listCredentials, credentialSchema, createCredential];
