import { passwordLimits } from '@drawbridge/contracts/accounts';

export interface Passwords {
  current: string;
  next: string;
  again: string;
}

const { minLength, maxLength } = passwordLimits;

const ofNext = ({ current, next }: Passwords): string | undefined => {
  if (next.length < minLength) return `Use at least ${minLength} characters`;
  if (next.length > maxLength) return `Use at most ${maxLength} characters`;
  return next === current ? 'Choose a password other than the current one' : undefined;
};

/** The problem of each field of a password change. */
export const problemsOf = (passwords: Passwords): Partial<Passwords> => ({
  current: passwords.current === '' ? 'Enter your current password' : undefined,
  next: ofNext(passwords),
  again: passwords.again === passwords.next ? undefined : 'The passwords do not match',
});
