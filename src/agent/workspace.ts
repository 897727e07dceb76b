import { realpath, stat } from 'node:fs/promises';
import { quote } from '../policy/quote.js';
import { isWithin } from '../policy/walk.js';
import { InvalidRequest } from '../sandbox/errors.js';

/**
 * Looks at the folders of a request before anything is made for it. Who may use them, and what they must not be, the
 * policy judges.
 * @param dataDir canonical
 * @throws InvalidRequest
 */
export async function checkWorkspace(workspaceDir: string, cwd: string, dataDir: string): Promise<void> {
  const workspace = await folder('workspaceDir', workspaceDir);
  const inside = await folder('cwd', cwd);
  if (!isWithin(inside, workspace))
    throw refusal('cwd', cwd, `leads to ${quote(inside)}, which is not in the workspace; name a folder in it`);
  // Code that can write there would read and change what other runs left, and where the next one's files go.
  if (isWithin(dataDir, workspace) || isWithin(workspace, dataDir)) {
    throw refusal('workspaceDir', workspaceDir, `and dataDir ${quote(dataDir)} lie in one another; keep them apart`);
  }
}

/** @returns its canonical path */
async function folder(field: string, path: string): Promise<string> {
  try {
    if ((await stat(path)).isDirectory()) return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refusal(field, path, code === 'ENOENT' ? 'does not exist; make it first' : `cannot be used (${code})`);
  }
  throw refusal(field, path, 'is not a folder');
}

function refusal(field: string, path: string, message: string): InvalidRequest {
  return new InvalidRequest(`The folder ${quote(path)} (${field}) ${message}.`, 'refused');
}
