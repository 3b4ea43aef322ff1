export { createSettings, type SettingsReader } from './settings.ts';
export { createSettingsStore } from './settings.store.ts';
