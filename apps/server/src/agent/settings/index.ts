export { createSettings } from './settings.ts';
export { createSettingsStore } from './settings.store.ts';
