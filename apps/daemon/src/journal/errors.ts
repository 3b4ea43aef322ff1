import { createErrors } from '@drawbridge/kit';

/** The first two are for the caller of a call that changes something, the others for the person here. */
export const errors = createErrors({
  journalFull: {
    code: 'JOURNAL_FULL',
    message: 'Nothing was changed: too many results wait on this machine for the server',
  },
  journalFailed: {
    code: 'JOURNAL_FAILED',
    message: 'Nothing was changed: this machine cannot write its journal (is the disk full?)',
  },
  unusable: {
    code: 'JOURNAL_UNUSABLE',
    message: 'The journal of this machine cannot be used',
    fix: 'See that the folder is yours and that its disk has space.',
  },
  inUse: {
    code: 'IN_USE',
    message: 'Another drawbridge is connected to this server with this session',
    fix: 'Stop it first, or give this one a home folder of its own (HOME=…).',
  },
});
