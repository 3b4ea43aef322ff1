import { createErrors } from '@drawbridge/kit';

export const errors = createErrors({
  /** What a remote caller gets when the settings fail; the details stay on this machine. */
  settingsUnusable: {
    code: 'SETTINGS_UNUSABLE',
    message: 'Access denied: the settings on this machine cannot be used',
  },
  notARule: { code: 'NOT_A_RULE', message: 'This is not a rule' },
});
