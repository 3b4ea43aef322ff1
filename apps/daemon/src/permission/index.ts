export { createGate, type Ask, type Gate, type Outcome, type TerminalAnswer } from './gate.ts';
export { guardOf } from './guarded.ts';
export { effectiveModes, type Modes } from './modes.ts';
export type { Resource } from './resource.ts';
export { openRuleUse } from './rule-use.ts';
export type { Rule } from './rules.ts';
export { createSession } from './session.ts';
export { openSettings, type RuleEffect, type SettingsStore } from './settings.ts';
export { visible, visibleLines } from './show.ts';
