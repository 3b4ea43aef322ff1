import { errorTable, type ErrorRow } from '@drawbridge/contracts';
import { CodedError } from '@drawbridge/kit';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { toCoded } from '../../http/index.ts';
import { rpcError } from './json-rpc.ts';

const rows: readonly ErrorRow[] = Object.values(errorTable);

/** Whatever was thrown before a message was read, as an error of JSON-RPC without an id. */
export const refuseInRpc = async (
  error: Error & Partial<Pick<FastifyError, 'statusCode'>>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const coded = error instanceof CodedError ? error : toCoded(error);
  const row = rows.find(({ code }) => code === coded.code) ?? errorTable.internal;
  if (row.http >= 500) request.log.error({ err: error }, coded.message);
  const message = coded.fix === undefined ? coded.message : `${coded.message}. ${coded.fix}`;
  return reply.code(row.http).send(rpcError({ code: row.jsonrpc, message }));
};
