export { createSealer, type Sealer } from './secrets.ts';
export { createSettings, type AgentServices, type SettingsOfAgent } from './settings.ts';
export { createSettingsStore, type SettingsStore } from './settings.store.ts';
