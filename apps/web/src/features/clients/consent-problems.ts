/** Why a client cannot be connected, by the error code. Nothing else of the address is trusted or shown. */
const problems: Record<string, string> = {
  state_missing: 'The client’s request has no state parameter.',
  invalid_client: 'The client is not registered with this server, or its metadata could not be read.',
  invalid_redirect: 'The client requested a redirect to an address that is not registered for it.',
  challenge_malformed: 'The client’s request has a code challenge that is not the SHA-256 of a verifier.',
  client_disabled: 'This client is disabled.',
};

export const consentProblem = (code: string): string =>
  Object.hasOwn(problems, code) ? (problems[code] ?? '') : 'The client’s request is not valid.';
