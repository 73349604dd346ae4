import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { relative, sep } from 'node:path'
import { refuseUnlessFile } from '../local/files.js'
import { variablePrefix } from '../local/gateway.js'
import type { LocalSidecarOptions } from '../local/sidecar.js'
import { unreadable, UsageError } from './exit-codes.js'
import { featureGates, oneOf, option, rarely, signature, text, toggle, under, type Values, port } from './flags.js'

export const logFormat = oneOf('format', 'lines for people, or an object of JSON a line', ['pretty', 'json'], 'pretty')
export const open = toggle('open the dashboard in a browser')
export const platform = text('name', 'prefix of variables, labels and annotations: <name>.dev/sdk-', {
  byDefault: 'agones',
})
export const sidecar = text('url', 'URL of the sidecar (default: from AGONES_SDK_HTTP_PORT)')
export const yes = toggle('serve the folder even if it holds your home directory')

/** The flags of a page that serve and host have in common. */
export const pageFlags = {
  ...under('The page:', {
    isolate: toggle('send COOP and COEP, which SharedArrayBuffer needs'),
    autoHealth: toggle('turn on autoHealth for the client in the page'),
  }),
  ...under('TLS:', {
    cert: text('file', 'certificate as PEM; read again when it is renewed'),
    key: text('file', 'private key of the certificate, as PEM'),
  }),
}

/** The flags of every local sidecar. The sidecar has the defaults, so that `serve` knows which flags were given. */
export const localFlags = {
  mode: oneOf('mode', 'imitate a real sidecar started by hand, or one in a pod (default: production)', [
    'local',
    'production',
  ]),
  file: text('path', 'GameServer to start with, as YAML or JSON; reloaded when it is saved', { short: 'f' }),
  featureGates: option(
    'gates',
    'CountsAndLists=false: no counters and lists, as where the gate is off (possible before 1.62)',
    featureGates,
  ),
  replace: toggle('keep a GameServer that has ended, instead of a fresh one a second later', true),
  dashboard: toggle('serve no page at /_/', true),
}

/** The flags of a local sidecar that runs inside another command. */
export const insideFlags = under('With a sidecar of its own:', {
  local: toggle('run a local sidecar inside, without a cluster'),
  ...rarely({
    file: localFlags.file,
    sidecarPort: option('port', 'port of the local sidecar itself (default: 9358 if it is free, else any)', port),
  }),
})

type Notices = Pick<LocalSidecarOptions, 'onWarning' | 'onLog'>
type LocalValues = Partial<Values<typeof localFlags>>
type PageServerValues = Values<typeof pageFlags> &
  Values<typeof insideFlags> &
  LocalValues & { readonly sidecar: string | undefined; readonly platform?: string; readonly yes?: boolean }

/** The options of a local sidecar, from the flags of a command. */
export const localOptionsOf = (
  { mode, file, featureGates: gates, replace, dashboard }: LocalValues,
  notices: Notices,
): LocalSidecarOptions => ({ mode, file, featureGates: gates, replace, dashboard, ...notices })

/** @throws UsageError for a wrong choice of a sidecar */
function checkSidecarFlags(
  { local, sidecar: named, platform: prefix = 'agones' }: PageServerValues,
  given: ReadonlySet<string>,
): void {
  const variable = `${variablePrefix(prefix)}PORT`
  const all = Object.entries({ ...insideFlags, ...localFlags })
  const ofLocal = all.filter(([name]) => name !== 'local' && given.has(name))
  if (local && named !== undefined) {
    throw new UsageError('--sidecar and --local exclude each other: both name the sidecar to use.')
  }
  if (!local && ofLocal.length > 0) {
    const written = ofLocal.map(([name, flag]) => signature(name, flag).split(' ')[0]).join(' and ')
    throw new UsageError(`${written} is for a local sidecar; add --local to run one.`)
  }
  if (!local && named === undefined && !process.env[variable]) {
    throw new UsageError(
      `Nothing says where the sidecar is: give --sidecar URL, run one inside with --local, or set ${variable}.`,
    )
  }
}

/**
 * The options that serve and host have in common: the sidecar and the page.
 *
 * @throws UsageError, CommandError
 */
export function pageServerOptionsOf(
  dir: string,
  flags: PageServerValues,
  given: ReadonlySet<string>,
  notices: Notices,
) {
  checkSidecarFlags(flags, given)
  if (!flags.yes) refuseHome(dir, flags.yes === undefined ? '' : undefined)
  const { sidecar: named, isolate, autoHealth, cert, key } = flags
  return {
    ...{ dir, sidecar: named, isolate, autoHealth: autoHealth || undefined },
    cert: cert === undefined ? undefined : checkSecret('--cert', cert, dir),
    key: key === undefined ? undefined : checkSecret('--key', key, dir),
    local: flags.local && {
      ...localOptionsOf({ replace: true, ...flags }, notices),
      port: flags.sidecarPort ?? ('usual' as const),
    },
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
export function refuseHome(dir: string, wayOut = ', or add --yes'): void {
  // Node throws for a user who is not in the system's list.
  const [path, home] = [realPath(() => dir), realPath(homedir)]
  if (path === undefined || home === undefined || !`${home}${sep}`.startsWith(path.replace(/[\\/]?$/, sep))) return
  throw new UsageError(
    `${dir} ${path === home ? 'is' : 'holds'} your home directory, and whoever reaches the gateway could read it; ` +
      `name the folder that holds the built page${wayOut}.`,
  )
}

function realPath(path: () => string): string | undefined {
  try {
    return realpathSync(path())
  } catch {
    return undefined
  }
}
