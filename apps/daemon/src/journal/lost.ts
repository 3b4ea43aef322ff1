import type { ResponseBody } from '@drawbridge/contracts/daemon-surface';

/** The JSON text of a `ResponseBody`. */
const lost = (why: string): string => {
  const text = `This call may have run: ${why}. Check the machine before you try again.`;
  const _meta = { 'drawbridge/outcome': 'lost', 'drawbridge/started': true } as const;
  const body: ResponseBody = { result: { content: [{ type: 'text', text }], isError: true, _meta } };
  return JSON.stringify(body);
};

/** The answer to a call that had started when the daemon died. */
export const diedDuring = lost('drawbridge ended there before it had a result');

/** The answer to a call that may stand in a page of the journal that cannot be read. */
export const missingFromJournal = lost('the journal of this machine is damaged');
