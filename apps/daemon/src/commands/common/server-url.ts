import { parseUrl } from '@drawbridge/kit';
import { ownCommand } from '../../program/own-command.ts';
import { errors } from './errors.ts';
import { meantBy } from './meant.ts';
import { words } from '../../text/words.ts';

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);

const reasonAgainst = (url: URL, options: { allowInsecureHttp: boolean }): string | null => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'it must begin with https:// or http://';
  if (url.username !== '' || url.password !== '') return 'it must not hold a user name or a password';
  if (url.hash !== '' || url.search !== '') return 'it must not hold a query or a fragment';
  if (url.hostname.endsWith('.')) return 'its host must not end in a dot';
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !options.allowInsecureHttp) {
    return 'http:// to another machine can be read and changed on the way; use https://, or pass --allow-insecure-http';
  }
  return null;
};

const commands = words(
  'connect disconnect pair status tools permissions mcp logs doctor service tui install update uninstall sandbox cache ' +
    'processes undo runtimes',
);

/** The first word is the address where it is no command: a command that was mistyped arrives here. */
const notAnAddress = (text: string) => {
  const meant = meantBy(text, commands);
  return meant === undefined
    ? errors.wrongUse({
        message: `Not an address or a command: ${text}`,
        fix: `An address begins with https:// or http://. For commands see ${ownCommand('--help')}.`,
      })
    : errors.wrongUse({
        message: `There is no command ${text}. Did you mean ${meant}?`,
        fix: `Run ${ownCommand(meant)}, or see ${ownCommand('--help')}.`,
      });
};

/** Parses the server's address. Throws `WRONG_USE` for one that is not safe to send a key to. */
export const parseServerUrl = (text: string, options: { allowInsecureHttp: boolean }): URL => {
  const url = parseUrl(text);
  if (!url) throw notAnAddress(text);
  const reason = reasonAgainst(url, options);
  if (reason !== null)
    throw errors.wrongUse({ message: `The address of the server cannot be used: ${reason}` });
  return url;
};

/** The address as it is shown: hosts outside ASCII in punycode, no slash at the end. */
export const showUrl = (url: URL): string => url.href.replace(/\/$/, '');
