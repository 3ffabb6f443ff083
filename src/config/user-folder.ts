import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns the folder of a user's profiles and interrupted uploads: `$XDG_CONFIG_HOME/millrace`, else
 * `~/.config/millrace`.
 */
export function userFolder(): string {
  return join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'millrace');
}
