import { foldName } from './fold.ts';
import type { Resource } from './resource.ts';

const words = (text: string) => text.trim().split(/\s+/);

/** Files and folders that hold keys, passwords and sessions, by their folded name. */
const secretNames = new Set(
  words(`
    .npmrc .yarnrc .yarnrc.yml .pypirc .netrc _netrc .pgpass .my.cnf .htpasswd .git-credentials .dockercfg .vault-token
    .aws .azure .gcloud .kube .gnupg .docker .password-store .terraform.d .mozilla .thunderbird
    credentials credentials.json credentials.toml secrets.json secrets.yml secrets.yaml service-account.json
    keyrings login.keychain login.keychain-db key3.db key4.db logins.json cookies.sqlite wallet.dat
  `),
);
const secretShapes = [
  /^\.env(\.|$)/,
  /\.env$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|keychain|keychain-db|ovpn)$/,
];
/** Names of which people keep an example beside the real one. */
const harmless = /^\.env\.(example|sample|template|dist|defaults)$/;

/** What other programs run, or open on a click, once it is written. */
const runNames = new Set(
  words(`
    package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs .gitattributes .pre-commit-config.yaml
    makefile gnumakefile justfile rakefile .husky .githooks .devcontainer launchagents launchdaemons authorized_keys
  `),
);
const runShapes = [
  /\.(desktop|command|exe|bat|cmd|ps1|vbs|jse|wsf|hta|msi|scr|lnk|url|scf|reg|pif|service)$/,
];

const isSecret = (names: readonly string[]): boolean => {
  const last = names.at(-1) ?? '';
  if (names.some((name) => secretNames.has(name))) return true;
  return !harmless.test(last) && secretShapes.some((shape) => shape.test(last));
};
const isRun = (names: readonly string[]): boolean =>
  names.some((name) => runNames.has(name)) || runShapes.some((shape) => shape.test(names.at(-1) ?? ''));

/**
 * Why a path asks even where its group is on allow, and is covered by no rule but one for itself; undefined where it does
 * not. The person chose the root, so its own name and those above it do not count.
 */
export const guardOf = (
  root: string,
  { toolGroup, resource }: Pick<Resource, 'toolGroup' | 'resource'>,
): string | undefined => {
  if (toolGroup !== 'filesystemRead' && toolGroup !== 'filesystemWrite') return undefined;
  const base = root.endsWith('/') ? root : `${root}/`;
  const own = resource.startsWith(base) ? resource.slice(base.length) : resource;
  const names = own.split('/').filter(Boolean).map(foldName);
  if (toolGroup === 'filesystemWrite' && isRun(names)) return 'other programs run what stands here';
  return isSecret(names) ? 'may hold passwords or keys' : undefined;
};

/** Whether neither a mode that allows the whole group nor a wider rule allows this: only a rule or an answer about exactly it does. */
export const needsOwnYes = (root: string, resource: Resource): boolean =>
  resource.explicit === true || guardOf(root, resource) !== undefined;
