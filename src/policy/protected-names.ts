/** Parts of folders that are otherwise the workspace's own: the parts are protected, not the whole. */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  '.git': ['hooks', 'config', 'config.worktree', 'modules', 'commondir'],
  node_modules: ['.bin'],
};

/** Files and folders that tools of the host run, or take settings from that name programs, by name. */
const NAMES: ReadonlySet<string> = new Set([
  // git; a `.git` that is a file leads to a repository elsewhere
  ...['.git', '.gitmodules', '.husky', '.pre-commit-config.yaml'],
  // shells and what hooks into them
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile', '.inputrc', '.envrc'],
  ...[
    '.zshrc',
    '.zshenv',
    '.zprofile',
    '.zlogin',
    '.zlogout',
    '.cshrc',
    '.tcshrc',
    '.kshrc',
    '.direnvrc',
    'config.fish',
  ],
  // package managers
  ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs'],
  // editors
  ...['.vscode', '.idea', '.devcontainer', '.vimrc', '.nvimrc', '.exrc', '.dir-locals.el'],
  // agents
  ...['.mcp.json', '.claude', '.codex', '.cursor', '.gemini', '.continue', '.windsurf', '.aider.conf.yml'],
  // Python runs these at every start
  ...['sitecustomize.py', 'usercustomize.py'],
]);

/** What can be asked for by name in a folder that cannot be listed to its end. */
export const FIXED_NAMES: ReadonlySet<string> = new Set([...NAMES, ...Object.keys(PARTS)]);

/** Whether a name is one that the host would run or obey, wherever it lies. */
export function isGuarded(name: string): boolean {
  return NAMES.has(name) || name.endsWith('.pth');
}
