import { isOwnComputer } from '../../ui/text/own-computer.ts';
import type { Recipe } from './recipes.ts';

/** Why an agent cannot reach the server at its address, in a sentence; null where it can. */
export const addressProblem = ({ label, signsIn }: Recipe, address: string): string | null => {
  const url = new URL(address);
  if (signsIn === true && (url.protocol !== 'https:' || isOwnComputer(url)))
    return `${label} connects from the internet and needs an https address. This server's address is ${url.origin}: set PUBLIC_URL to an https address that the internet can reach.`;
  if (isOwnComputer(url))
    return `${url.origin} works only for agents on the computer of the server. For others, set PUBLIC_URL.`;
  if (url.protocol !== 'https:')
    return `${url.origin} is not encrypted: the token can be read on the network. Use it only on a network that you trust.`;
  return null;
};
