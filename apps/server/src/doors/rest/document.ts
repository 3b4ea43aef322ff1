import { restBase, restSchemas } from '@drawbridge/contracts';
import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Route } from './route.ts';

const description = `Run the tools of your own machine over HTTP. Each call is checked by the machine, asked about where it must be, and
written down. Make an access token in the panel, under Connect an agent, and send it with each request as
\`Authorization: Bearer …\`. A token sees and calls only the tools of its groups, and sees only its own calls.`;

/** The OpenAPI 3.1 document of the routes; nothing in it is of any person. */
export const openApiDocument = (routes: readonly Route[], url: string) => {
  const paths: ZodOpenApiPathsObject = {};
  for (const { method, path, operation } of routes) paths[path] = { ...paths[path], [method]: operation };
  return createDocument({
    openapi: '3.1.0',
    info: { title: 'Drawbridge', version: '1', description },
    servers: [{ url: `${url}${restBase}` }],
    security: [{ bearer: [] }],
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: restSchemas,
    },
    paths,
  });
};
