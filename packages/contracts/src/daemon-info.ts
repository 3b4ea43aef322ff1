/**
 * Features of a daemon beyond the specification. `resume`: a repeated request is answered, not run again.
 * `probe`: it answers the event `probe`. `rules`: it lists, adds and removes rules for its own user.
 * `processes`: it has processes in the background, told apart by caller; it lists, shows and stops them.
 * `rulings`: its results say which rules let a call run, or what refused it; without a word it was the modes.
 * `runtimes`: it lists and tests its coding agents.
 */
export const daemonFeatures = [
  'resume',
  'cancel',
  'progress',
  'probe',
  'rules',
  'processes',
  'tighten',
  'rulings',
  'runtimes',
] as const;

/**
 * Features of a server beyond the specification. `responses`: several results in one request. `settled`: it
 * decides questions that a rule covers. `keep-session`: see `disconnectBody`. `socket`: see `socketPath`.
 */
export const serverFeatures = ['responses', 'settled', 'keep-session', 'socket'] as const;
export type ServerFeature = (typeof serverFeatures)[number];

/** The protocol revision of this code; rises with an incompatible change. */
export const protocolRevision = 1;
