import { createErrors } from '@drawbridge/kit';

/** Why a call that changes something cannot start, and why a second daemon cannot. The messages name no path. */
export const errors = createErrors({
  journalFull: {
    code: 'JOURNAL_FULL',
    message: 'Nothing was changed: too many results wait on this machine for the server',
  },
  journalFailed: {
    code: 'JOURNAL_FAILED',
    message: 'Nothing was changed: this machine cannot write down what it does (is its disk full?)',
  },
  inUse: {
    code: 'IN_USE',
    message: 'Another drawbridge is connected to this server with this session',
    fix: 'Stop it first, or give this one a home folder of its own (HOME=…).',
  },
});
