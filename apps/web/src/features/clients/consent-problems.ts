/** Why a client cannot be connected, by the code in the address. Anyone can write an address: nothing else of it is shown. */
const problems: Record<string, string> = {
  state_missing: 'Its request has no state parameter.',
  invalid_client: 'The client is not registered with this server, or its metadata could not be read.',
  invalid_redirect: 'It requested a redirect to an address that is not registered for it.',
  client_disabled: 'This client is disabled.',
};

export const consentProblem = (code: string): string =>
  Object.hasOwn(problems, code) ? (problems[code] ?? '') : 'Its request is not valid.';
