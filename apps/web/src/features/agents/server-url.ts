import { restBase } from '@drawbridge/contracts/rest';

const urlIn = (document: unknown): unknown => {
  if (typeof document !== 'object' || document === null || !('servers' in document)) return undefined;
  const first: unknown = Array.isArray(document.servers) ? document.servers[0] : undefined;
  return typeof first === 'object' && first !== null && 'url' in first ? first.url : undefined;
};

/**
 * The server's public address from its OpenAPI description, without a slash at the end; `otherwise` if that
 * cannot be read. Never throws.
 */
export const readServerUrl = async (send: typeof fetch, otherwise: string): Promise<string> => {
  try {
    const response = await send(`${restBase}/openapi.json`, { credentials: 'omit' });
    const url = urlIn(await response.json());
    return typeof url === 'string' && url.endsWith(restBase) ? url.slice(0, -restBase.length) : otherwise;
  } catch {
    return otherwise;
  }
};
