import type { ClientCapability } from '../tools/call.ts';

/** In the order of a session's flags. */
export const clientCapabilities = [
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
  'elicitation/url',
] as const satisfies readonly ClientCapability[];

const has = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name);

/** Reads `capabilities` as a client declares them, in either revision. */
export const capabilitiesIn = (declared: unknown): ClientCapability[] => {
  const elicitation: unknown =
    has(declared, 'elicitation') && (declared as { elicitation: unknown }).elicitation;
  const holds: Record<ClientCapability, boolean> = {
    // Without a mode it is that of forms, the only one of earlier revisions.
    'elicitation/create':
      has(elicitation, 'form') || (typeof elicitation === 'object' && !has(elicitation, 'url')),
    'elicitation/url': has(elicitation, 'url'),
    'sampling/createMessage': has(declared, 'sampling'),
    'roots/list': has(declared, 'roots'),
  };
  return clientCapabilities.filter((capability) => holds[capability]);
};
