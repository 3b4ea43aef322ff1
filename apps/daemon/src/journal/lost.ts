import type { ResponseBody } from '@drawbridge/contracts/daemon-surface';

const result = (text: string): ResponseBody => ({
  result: {
    content: [{ type: 'text', text }],
    isError: true,
    _meta: { 'drawbridge/outcome': 'lost', 'drawbridge/started': true },
  },
});

/** The answer to a call that had started when the daemon died: the JSON text of a `ResponseBody`. */
export const diedDuring = JSON.stringify(
  result(
    'This call may have run: the daemon ended before it had a result. Check the machine before you try again.',
  ),
);

/** The answer to a call that may stand in a page of the journal that cannot be read. */
export const missingFromJournal = JSON.stringify(
  result(
    'This call may have run: the journal of this machine is damaged. Check the machine before you try again.',
  ),
);
