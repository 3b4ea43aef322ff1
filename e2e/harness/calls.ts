import type { Call } from '@drawbridge/contracts/calls';
import type { Confirmation, ConfirmationAnswer } from '@drawbridge/contracts/confirmation';
import { terminalCallStates } from '@drawbridge/contracts/calls';
import type { Person } from './client.ts';
import { until } from './until.ts';

type Arguments = Record<string, unknown>;

/** A call as it first comes back: ended, or with its question open. */
export const run = (person: Person, name: string, args: Arguments): Promise<Call> =>
  person.api.calls.run.mutate({ name, arguments: args });

/** The call, once it has ended. */
export const ended = (person: Person, requestId: string): Promise<Call> =>
  until(async () => {
    const call = await person.api.calls.get.query({ requestId });
    return terminalCallStates.some((state) => state === call.state) && call;
  });

/** The open question about a call. */
export const questionOf = (person: Person, requestId: string): Promise<Confirmation> =>
  until(async () => {
    const open = await person.api.confirmations.list.query();
    return open.find((confirmation) => confirmation.requestId === requestId);
  });

/** Answers the open question about a call and gives the call, once it has ended. */
export const answer = async (
  person: Person,
  requestId: string,
  { approved, resourceDecision }: ConfirmationAnswer,
): Promise<Call> => {
  const { id } = await questionOf(person, requestId);
  await person.api.confirmations.decide.mutate({
    confirmationId: id,
    approved,
    ...(resourceDecision ? { resourceDecision } : {}),
  });
  return ended(person, requestId);
};

/** The text of a call's first block. */
export const textOf = (call: Call): string | undefined => {
  const first = call.result?.content[0];
  return first?.type === 'text' ? first.text : undefined;
};
