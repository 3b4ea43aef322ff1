import { errors } from './errors.ts';

const whole = /^gw_[\w-]{32}$/;

/** Throws `WRONG_USE` for a pairing token that lost characters: the server would only call it unknown. */
export const checkToken = (token: string): void => {
  if (!token.startsWith('gw_') || whole.test(token)) return;
  throw errors.wrongUse({
    message: `This pairing token is mistyped: it has ${token.length} characters, and a token has 35`,
    fix: 'Copy the whole command from the panel again.',
  });
};
