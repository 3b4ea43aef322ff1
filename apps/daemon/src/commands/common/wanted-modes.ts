import { effectiveModes, type Modes, type SettingsStore } from '../../permission/index.ts';
import { errors } from './errors.ts';
import type { ConnectOptions } from './options.ts';

/** The person's words for this session over the settings file. */
export const wantedModes = (options: ConnectOptions, settings: SettingsStore): Modes => {
  const { system } = options.modes;
  const kept = settings.modes().system;
  if (system !== undefined && system !== 'deny' && system !== kept) {
    throw errors.wrongUse({
      message: `The mode of system can only be changed in ${settings.folder}/settings.json`,
    });
  }
  return effectiveModes({ ...settings.modes(), ...options.modes });
};
