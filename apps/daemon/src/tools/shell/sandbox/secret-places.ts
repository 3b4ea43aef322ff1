import { join } from 'node:path';
import { words } from '../../../text/words.ts';

/** Below the home folder: keys, passwords and tokens, and what knows them. */
const everywhere = [
  ...words(`
    .ssh .gnupg .aws .azure .kube .docker .netrc .npmrc .yarnrc.yml .pypirc .git-credentials
    .config/git/credentials .config/gh .config/glab-cli .config/hub .config/gcloud
    .config/containers/auth.json .config/rclone .config/op .config/sops .config/age .cargo/credentials
    .cargo/credentials.toml .gem/credentials .m2/settings.xml .m2/settings-security.xml
    .gradle/gradle.properties .terraform.d .terraformrc .composer/auth.json .config/composer/auth.json
    .vault-token .pgpass .my.cnf .boto .s3cfg .password-store .electrum .bitcoin .ethereum .bash_history
    .zsh_history .node_repl_history .python_history .psql_history .mysql_history
    .local/share/fish/fish_history .local/share/nushell .viminfo .local/state/nvim/shada
    .local/share/nvim/shada .lesshst .sqlite_history .rediscli_history .irb_history
  `),
  // Agents.
  ...words(`
    .claude.json .claude/.credentials.json .claude/history.jsonl .claude/projects .codex/auth.json
    .codex/history.jsonl .codex/sessions .gemini .mcp-auth .aider.conf.yml .continue .config/goose
    .local/share/opencode .config/github-copilot .config/amp .copilot .cursor/mcp.json .codeium
  `),
  // Models and data.
  ...words(`
    .cache/huggingface/token .cache/huggingface/stored_tokens .huggingface .kaggle .config/wandb
  `),
  // Clouds and what is built there.
  ...words(`
    .oci .databrickscfg .fly .pulumi .config/doctl .config/hcloud .config/scw .config/heroku .config/netlify
    .config/configstore .config/.wrangler .wrangler .config/stripe .config/ngrok .ngrok2 .config/linode-cli
    .aliyun .tccli .bluemix .ibmcloud .snowflake .snowsql .config/snowflake .config/supabase .supabase
    .local/share/com.vercel.cli .vercel .railway .config/turso .config/tea .chef .nuget/NuGet/NuGet.Config
    .config/NuGet/NuGet.Config .bundle/config .local/share/composer/auth.json .config/pypoetry/auth.toml
    .config/uv/credentials.toml .local/share/uv/credentials .conda/tokens
    .jupyter/jupyter_server_config.json .local/share/jupyter/runtime .config/syncthing .config/filezilla
    .config/remmina .local/share/remmina .msmtprc .mutt .fetchmailrc .authinfo .authinfo.gpg
    .local/share/gnome-online-accounts
  `),
];

/** Below an editor's folder: what it keeps of accounts, and its integrated tools' keys. */
const ofEditor = ['User/globalStorage', 'User/workspaceStorage', 'User/History', 'Cookies', 'Local Storage'];
const editors = [
  'Code',
  'Code - Insiders',
  'VSCodium',
  'Cursor',
  'Windsurf',
  'Kiro',
  'Trae',
  'Zed',
  'Claude',
];
const editorPlaces = (folder: string): string[] =>
  editors.flatMap((editor) => ofEditor.map((place) => `${folder}/${editor}/${place}`));

const linux = [
  ...editorPlaces('.config'),
  ...words(`
    .vscode-server/data/User/globalStorage .cursor-server/data/User/globalStorage
    .local/share/code-server/User/globalStorage .config/JetBrains .local/share/keyrings
    .local/share/kwalletd .pki .mozilla .thunderbird .config/google-chrome .config/chromium
    .config/BraveSoftware .config/microsoft-edge .config/vivaldi .config/opera .config/Signal
    .config/Bitwarden .config/1Password .config/keepassxc snap/firefox snap/chromium .var/app
  `),
];

const mac = [
  ...editorPlaces('Library/Application Support'),
  'Library/Keychains',
  'Library/Cookies',
  'Library/Safari',
  'Library/Mail',
  'Library/Messages',
  'Library/Application Support/Firefox',
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/Chromium',
  'Library/Application Support/BraveSoftware',
  'Library/Application Support/Microsoft Edge',
  'Library/Application Support/Signal',
  'Library/Application Support/1Password',
  'Library/Application Support/Bitwarden',
];

/** What no sandboxed command may read: absolute paths, whether they exist or not. */
export const secretPlaces = (home: string, platform: NodeJS.Platform): string[] =>
  [...everywhere, ...(platform === 'darwin' ? mac : linux)].map((path) => join(home, path));
