import type { CheckLine } from '@drawbridge/contracts/agent/settings';
import type { Clock } from '@drawbridge/kit';
import { apiAt, N8nError } from './client.ts';

/** Tests an address without a key: n8n refuses the request with status 401. */
export const testAddress = async (
  clock: Clock,
  { address, signal }: { address: string; signal: AbortSignal },
): Promise<CheckLine> => {
  const name = 'Connection';
  try {
    await apiAt({ clock, address, key: null }).ask({ path: 'workflows', signal });
  } catch (error) {
    if (!(error instanceof N8nError)) return { name, state: 'failed', text: 'n8n could not be used.' };
    if (error.status === 401) return { name, state: 'ok', text: 'It answers, and asks for a key.' };
    return { name, state: 'failed', text: error.message };
  }
  const text = 'It answers without a key. Check that this is the address of n8n.';
  return { name, state: 'failed', text };
};
