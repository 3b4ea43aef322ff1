export { createSealer } from './secrets.ts';
export { createSettings, type AgentServices, type SettingsOfAgent } from './settings.ts';
export { createSettingsStore } from './settings.store.ts';
