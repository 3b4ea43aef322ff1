import type { Resource } from '../../common/tool.ts';
import { hostsOfTools } from './companions.ts';
import { portWords, type Declared } from './declared.ts';
import type { Grant } from './command-egress.ts';

export interface NetworkOf {
  command: Resource;
  /** The text of the command. */
  text: string;
}

const risk =
  'It can send any file that it can read to each of these hosts, and what is inside TLS is not seen.';
const installs =
  ' Packages may run programs during the installation, and what is installed runs outside the sandbox later, when you or your editor use it.';

const risksOf = (text: string): string => risk + (hostsOfTools(text).length > 0 ? installs : '');

const describe = (declared: Declared, { text }: NetworkOf, isFirst: boolean): string => {
  const { subdomains, mirror, local, text: shown } = declared;
  const where = mirror
    ? portWords(declared)
    : `${subdomains ? `all of ${shown}` : shown} (${portWords(declared)})`;
  const nearby = local && !mirror ? ', which may be on your own network' : '';
  return `Connect to ${where}${nearby}${isFirst ? `. ${risksOf(text)}` : ''}`;
};

/** The hosts of a command as things to be allowed, each bound to exactly this command. */
export const toGrants = (all: readonly Declared[], of: NetworkOf): Grant[] =>
  all.map((declared, at) => {
    const { resource, fingerprint, programFingerprint, sessionOnly } = of.command;
    const folder = /^"(?:[^"\\]|\\.)*"/.exec(resource)?.[0] ?? '';
    return {
      declared,
      resource: {
        toolGroup: 'network',
        resource: `${declared.text} < ${resource}`,
        description: describe(declared, of, at === 0),
        ...(fingerprint !== undefined && { fingerprint }),
        ...(programFingerprint !== undefined && { programFingerprint }),
        ...(sessionOnly && { sessionOnly }),
        // Only what is exactly allowed leads to this machine and its network.
        ...(declared.local && { explicit: true as const }),
        ...(!declared.local && { anyCommand: `${declared.text} < ${folder}` }),
      },
    };
  });

const maxNamed = 3;

/** ` with access to a.example, b.example`; all hosts are in the list of the question. */
export const accessWords = (all: readonly Declared[]): string => {
  if (all.length === 0) return '';
  const named = all.slice(0, maxNamed).map(({ text }) => text.slice(0, 80));
  const more = all.length > maxNamed ? ` and ${all.length - maxNamed} more` : '';
  return ` with access to ${named.join(', ')}${more}`;
};
