import { createErrors } from '@drawbridge/kit';

/** Failures of the user's private files. The message names the path. */
export const errors = createErrors({
  settingsBroken: {
    code: 'SETTINGS_BROKEN',
    message: 'The settings file cannot be used',
    fix: 'Correct the file, or move it away to start with the defaults.',
  },
  settingsBusy: {
    code: 'SETTINGS_BUSY',
    message: 'The settings file is being changed by another process',
    fix: 'See what that process waits for, or end it.',
  },
  settingsUnsafe: {
    code: 'SETTINGS_UNSAFE',
    message: 'The settings folder cannot be trusted',
    fix: 'It must be a folder of your own, not a link, and so must the file in it.',
  },
});
