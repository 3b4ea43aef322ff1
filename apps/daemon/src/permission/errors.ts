import { createErrors } from '@drawbridge/kit';

/** How the person's settings can fail. The message names the place. */
export const errors = createErrors({
  settingsBroken: {
    code: 'SETTINGS_BROKEN',
    message: 'The settings file cannot be used',
    fix: 'Correct the file, or move it away to start with the defaults.',
  },
  /** What a caller elsewhere hears of the others. */
  settingsUnusable: {
    code: 'SETTINGS_UNUSABLE',
    message: 'Access denied: the settings on this machine cannot be used',
  },
  settingsBusy: {
    code: 'SETTINGS_BUSY',
    message: 'The settings file is being changed by another process',
    fix: 'See what that process waits for, or end it.',
  },
  notARule: { code: 'NOT_A_RULE', message: 'This is not a rule' },
  settingsUnsafe: {
    code: 'SETTINGS_UNSAFE',
    message: 'The settings folder cannot be trusted',
    fix: 'It must be a folder of your own, not a link, and so must the file in it.',
  },
});
