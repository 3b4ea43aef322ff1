export { createRuntimeSettings, type SettingsOfServer } from './settings.ts';
export { createSettingsStore } from './settings.store.ts';
