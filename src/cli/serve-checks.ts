import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { relative, sep } from 'node:path'
import { variablePrefix } from '../local/gateway.js'
import { refuseUnlessFile } from '../local/files.js'
import type { OperationName } from '../protocol/operations.js'
import { unreadable, UsageError } from './context.js'
import type { Values } from './flags.js'
import type { pageFlags } from './local-flags.js'

/** @throws UsageError for a wrong choice of a sidecar. `localFlags` are the given flags that need --local. */
export function checkSidecarFlags(
  {
    local,
    sidecar,
    platform,
  }: { readonly local: boolean; readonly sidecar?: string | undefined; readonly platform: string },
  env: NodeJS.ProcessEnv,
  localFlags: readonly string[],
): void {
  const variable = `${variablePrefix(platform)}PORT`
  if (local && sidecar !== undefined) {
    throw new UsageError('--sidecar and --local exclude each other: both name the sidecar to use.')
  }
  if (!local && localFlags.length > 0) {
    throw new UsageError(`${localFlags.join(' and ')} is for a local sidecar; add --local to run one.`)
  }
  if (!local && sidecar === undefined && !env[variable]) {
    throw new UsageError(
      `Nothing says where the sidecar is: give --sidecar URL, run one inside with --local, or set ${variable}.`,
    )
  }
}

/** The options of a served page, which serve and host have in common. @throws UsageError, CommandError */
export function pageOptionsOf(
  dir: string,
  { spa, isolate, deny, autoHealth, cert, key }: Omit<Values<typeof pageFlags>, 'yes'>,
) {
  return {
    ...{ dir, spa, isolate },
    deny: deny as readonly OperationName[] | undefined,
    autoHealth: autoHealth || undefined,
    cert: cert === undefined ? undefined : checkSecret('--cert', cert, dir),
    key: key === undefined ? undefined : checkSecret('--key', key, dir),
  }
}

/** The path of a certificate or key. The served folder must not hold the key. @throws UsageError, CommandError */
function checkSecret(flag: string, path: string, served: string): string {
  try {
    refuseUnlessFile(statSync(path))
    accessSync(path, constants.R_OK)
  } catch (error) {
    throw unreadable(`${path} of ${flag}`, error)
  }
  // The gateway itself reports a missing folder.
  if (flag !== '--key' || !existsSync(served)) return path
  const inside = relative(realpathSync(served), realpathSync(path))
  if (inside !== '..' && !inside.startsWith(`..${sep}`)) {
    throw new UsageError(`The private key ${path} is in the folder that is served; keep it elsewhere.`)
  }
  return path
}

/**
 * Refuses a folder that somebody names by mistake: the home directory, or a folder around it. Links are followed.
 *
 * @throws UsageError
 */
export function refuseHome(dir: string): void {
  // Node throws for a user who is not in the system's list.
  const [path, home] = [realPath(() => dir), realPath(homedir)]
  if (path === undefined || home === undefined || !`${home}${sep}`.startsWith(path.replace(/[\\/]?$/, sep))) return
  throw new UsageError(
    `${dir} ${path === home ? 'is' : 'holds'} your home directory, and whoever reaches the gateway could read it; ` +
      'name the folder that holds the built page, or add --yes.',
  )
}

function realPath(path: () => string): string | undefined {
  try {
    return realpathSync(path())
  } catch {
    return undefined
  }
}
