import type { Call } from '@drawbridge/contracts/calls';
import { errorTable, type ErrorName, type ErrorRow } from '@drawbridge/contracts/errors';
import { restBase, restSchemas } from '@drawbridge/contracts/rest';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { BearerCaller, CallerContext } from '../../callers/index.ts';

export interface Exchange {
  caller: BearerCaller;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** The caller with the machine that a request names. */
export const onMachine = (
  caller: BearerCaller,
  { machine }: { machine?: string | undefined },
): BearerCaller => (machine === undefined ? caller : { ...caller, machineId: machine });

/** A call as its caller sees it: which rules of the person allowed it is for the person alone. */
export const ownView = (call: Call): Call => {
  const meta = call.result?._meta;
  if (call.result === null || meta?.['drawbridge/allowed'] === undefined) return call;
  const { 'drawbridge/allowed': _, ...rest } = meta;
  return { ...call, result: { ...call.result, _meta: rest } };
};

/** One operation: what the document says of it, and what answers it. */
export interface Route {
  method: 'get' | 'post';
  /** Below the base, as OpenAPI writes it: `/calls/{requestId}`. */
  path: `/${string}`;
  operation: ZodOpenApiOperationObject & { operationId: string };
  handle(ctx: CallerContext, exchange: Exchange): Promise<unknown>;
}

/** A body of JSON, as the document describes it. */
export const json = (schema: z.ZodType, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

const common: ErrorName[] = ['badRequest', 'unauthorized', 'foreignOrigin', 'tooManyRequests', 'internal'];

const line = ({ code, message, fix }: ErrorRow) =>
  `\`${code}\`: ${message}.${fix === undefined ? '' : ` ${fix}`}`;

/** The errors that an operation may answer with, those that all have among them, by status. */
export const failures = (...names: ErrorName[]): ZodOpenApiResponsesObject => {
  const lines = new Map<number, string[]>();
  for (const name of [...common, ...names]) {
    const row: ErrorRow = errorTable[name];
    lines.set(row.http, [...(lines.get(row.http) ?? []), line(row)]);
  }
  return Object.fromEntries(
    [...lines].map(([status, texts]) => [String(status), json(restSchemas.Error, texts.join('\n\n'))]),
  );
};

const description = `Run the tools of your own machine over HTTP. Each call is checked by the machine, asked about where it must be, and
written down. Make an access token in the panel, under Connect an agent, and send it with each request as
\`Authorization: Bearer …\`. A token sees and calls only the tools of its groups, and sees only its own calls.`;

/** The OpenAPI 3.1 document of the routes. */
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
