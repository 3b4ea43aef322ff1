import { errorTable } from '@drawbridge/contracts';
import { CodedError } from '@drawbridge/kit';
import type { FastifyRequest } from 'fastify';
import { readJson } from '../../http/index.ts';

/** Reads a message; undefined where the body is no JSON, which JSON-RPC has an answer of its own for. */
export const readRpcBody = async (_request: FastifyRequest, body: Buffer): Promise<unknown> => {
  try {
    return readJson(body).value;
  } catch (error) {
    if (error instanceof CodedError && error.code === errorTable.badRequest.code) return undefined;
    throw error;
  }
};
