export { createGate, type Ask, type Gate, type Outcome } from './gate.ts';
export { effectiveModes, type Modes } from './modes.ts';
export type { Resource } from './resource.ts';
export type { Rule } from './rules.ts';
export { createSession } from './session.ts';
export { openSettings, type RuleEffect, type SettingsStore } from './settings.ts';
export { visible, visibleLines } from './show.ts';
