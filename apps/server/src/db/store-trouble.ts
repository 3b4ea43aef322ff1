import { isDatabaseTrouble } from '../errors.ts';

/** Of the way to the store: network, file system. */
const unreachable =
  /^(ECONN[A-Z]+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|EACCES)$/;

/** Of what a query has thrown: true for an error of the store, false for a mistake in the query. */
export const isStoreTrouble = (error: unknown): error is Error & { code: string } =>
  isDatabaseTrouble(error) ||
  (error instanceof Error && 'code' in error && unreachable.test(String(error.code)));
