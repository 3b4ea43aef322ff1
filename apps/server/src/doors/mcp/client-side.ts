import type { InputMethod } from '@drawbridge/contracts';

/** What a client may be asked for; the last is a page for the person to open. */
export const clientAbilities = [
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
  'elicitation/url',
] as const satisfies readonly (InputMethod | 'elicitation/url')[];
export type ClientAbility = (typeof clientAbilities)[number];

/** The client's side of one call: what it can do, and what it answered when it was asked. All of it is the client's word. */
export interface ClientSide {
  can: readonly ClientAbility[];
  /** Whether a question may come in the place of a result (2026-07-28). */
  takesQuestions?: true;
  responses?: Record<string, unknown>;
  /** As it came, sealed. */
  requestState?: string;
}

const has = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name);

/** Reads `capabilities` as a client declares them, in either revision. */
export const abilitiesOf = (capabilities: unknown): ClientAbility[] => {
  const elicitation: unknown =
    has(capabilities, 'elicitation') && (capabilities as { elicitation: unknown }).elicitation;
  const holds: Record<ClientAbility, boolean> = {
    // Without a mode it is that of forms, the only one of earlier revisions.
    'elicitation/create':
      has(elicitation, 'form') || (typeof elicitation === 'object' && !has(elicitation, 'url')),
    'elicitation/url': has(elicitation, 'url'),
    'sampling/createMessage': has(capabilities, 'sampling'),
    'roots/list': has(capabilities, 'roots'),
  };
  return clientAbilities.filter((ability) => holds[ability]);
};
