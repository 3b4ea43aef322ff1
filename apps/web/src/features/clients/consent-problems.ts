/** Why a client cannot be connected, by the code in the address. An address is anybody's word: nothing of it is shown but this. */
const problems: Record<string, string> = {
  state_missing: 'It did not say by what it would know the answer again.',
  invalid_client: 'This server does not know the client, or could not read what it says of itself.',
  invalid_redirect: 'It asked for the answer to be sent to an address that is not its own.',
  client_disabled: 'This client has been switched off.',
};

export const consentProblem = (code: string): string =>
  Object.hasOwn(problems, code) ? (problems[code] ?? '') : 'What it asked for is not valid.';
