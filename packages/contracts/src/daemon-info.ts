/**
 * What a daemon can do beyond the specification. `resume`: a repeated request is answered, not run again.
 * `probe`: it answers the event `probe` with a post. `rules`: it lists its rules, and takes them back, for its own user.
 */
export const daemonFeatures = ['resume', 'cancel', 'progress', 'probe', 'rules'] as const;

/**
 * What a server can do beyond the specification. `responses`: it takes several results in one request.
 * `settled`: it decides open questions that the daemon says a rule covers.
 * `keep-session`: a machine can go offline and keep its key, see `disconnectBody`.
 */
export const serverFeatures = ['responses', 'settled', 'keep-session'] as const;
export type ServerFeature = (typeof serverFeatures)[number];

/** The protocol revision that this code speaks; a number that rises when a daemon must know. */
export const protocolRevision = 1;
