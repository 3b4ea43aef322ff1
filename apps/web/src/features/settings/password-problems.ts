import { passwordLimits } from '@drawbridge/contracts';

export interface Passwords {
  current: string;
  next: string;
  /** The new one, typed once more. */
  again: string;
}

const { minLength, maxLength } = passwordLimits;

const ofNext = ({ current, next }: Passwords): string | undefined => {
  if (next.length < minLength) return `Take at least ${minLength} characters`;
  if (next.length > maxLength) return `Take at most ${maxLength} characters`;
  return next === current ? 'Take another one than your current password' : undefined;
};

/** What is wrong with a change of the password, said at the field that it is wrong with. */
export const problemsOf = (given: Passwords): Partial<Passwords> => ({
  current: given.current === '' ? 'Give your current password' : undefined,
  next: ofNext(given),
  again: given.again === given.next ? undefined : 'This differs from the new password',
});
