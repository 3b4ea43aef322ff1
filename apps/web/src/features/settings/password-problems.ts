import { passwordLimits } from '@drawbridge/contracts/accounts';

export interface Passwords {
  current: string;
  next: string;
  /** The new one, typed once more. */
  again: string;
}

const { minLength, maxLength } = passwordLimits;

const ofNext = ({ current, next }: Passwords): string | undefined => {
  if (next.length < minLength) return `Use at least ${minLength} characters`;
  if (next.length > maxLength) return `Use at most ${maxLength} characters`;
  return next === current ? 'Choose a password other than the current one' : undefined;
};

/** What is wrong with a change of the password, said at the field that it is wrong with. */
export const problemsOf = (given: Passwords): Partial<Passwords> => ({
  current: given.current === '' ? 'Enter your current password' : undefined,
  next: ofNext(given),
  again: given.again === given.next ? undefined : 'The passwords do not match',
});
