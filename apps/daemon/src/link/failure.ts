import { parseUrl } from '@drawbridge/kit';
import { errorTable } from '@drawbridge/contracts/errors';
import { z } from 'zod';
import { parseJson } from '../text/parse-json.ts';
import type { Failure } from './connection.ts';
import type { Answer } from './http.ts';

const maxErrorBytes = 65_536;

const errorBody = z.object({ code: z.string().optional(), message: z.string().max(500).optional() });

const networkWords: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name could not be resolved',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EPROTO: 'there is no https at this port; the address may begin with http://',
  ERR_SSL_WRONG_VERSION_NUMBER: 'there is no https at this port; the address may begin with http://',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is self-signed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate belongs to another host',
};

export const networkFailure = (error: unknown): Failure => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const fallback = error instanceof Error && error.message !== '' ? error.message : 'the connection failed';
  return { kind: 'network', sentence: networkWords[code] ?? (code === '' ? fallback : code) };
};

const redirect = (location: string): Failure => {
  const host = parseUrl(location)?.origin ?? 'another address';
  return {
    kind: 'redirect',
    sentence: `the server redirects to ${host}, and a key is never sent to another address`,
  };
};

/** Answers about the posted content that will not change: malformed, unknown, conflicting, too large. */
const finalStatuses = new Set([400, 404, 409, 410, 413, 422]);

/** Whether the same post would be refused again; null where there was no answer. */
export const isFinal = (status: number | null): boolean => status !== null && finalStatuses.has(status);

/** What an unexpected answer means. Only the server's own 401, 403 and 500 are about the key. */
export const responseFailure = async (response: Answer): Promise<Failure> => {
  const { status } = response;
  const text = await response.text(maxErrorBytes).catch(() => '');
  if (status >= 300 && status < 400) return redirect(response.header('location'));
  if (response.header('content-type').includes('html')) {
    return {
      kind: 'network',
      sentence: `the answer is a web page (HTTP ${status}): a proxy or another site`,
    };
  }
  const { code, message } = parseJson(errorBody, text) ?? {};
  const sentence = message === undefined ? `HTTP ${status}` : `${message} (HTTP ${status})`;
  if (code === errorTable.gatewayDisabled.code) return { kind: 'network', sentence };
  if (status === 401 || status === 403)
    return { kind: 'refused', sentence, ...(code !== undefined && { code }) };
  if (status === 500) return { kind: 'server-error', sentence };
  return { kind: 'network', sentence, ...(code !== undefined && { code }) };
};
