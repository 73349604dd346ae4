import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, parse, relative, sep } from 'node:path'
import { variablePrefix } from '../node/gateway/sidecar-url.js'
import { isLoopback } from '../node/http/address.js'
import { refuseUnlessFile } from '../node/local/read-text-file.js'
import { unreadable, UsageError } from './context.js'

/** The options of `serve` that can contradict each other or lack one another. */
export interface ServeChoices {
  readonly sidecar?: string | undefined
  readonly local: boolean
  readonly platform: string
  readonly host: string
  readonly expose: boolean
  readonly token?: string | true | undefined
  readonly allowOrigin?: readonly string[] | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

/** @throws UsageError which names the flags; the library's own errors name its options */
export function checkChoices(options: ServeChoices, env: NodeJS.ProcessEnv, localFlags: readonly string[]): void {
  checkSidecarFlags(options, env, localFlags)
  checkTlsFlags(options)
  if (isLoopback(options.host)) return
  if (!options.expose) {
    throw new UsageError(
      `Other machines can reach ${options.host} and could shut the game server down; ` +
        'if they should reach it, add --expose, with --token or --allow-origin.',
    )
  }
  if (options.token === undefined && options.allowOrigin === undefined) {
    throw new UsageError(
      '--expose needs --token (without a value one is made) or --allow-origin, which say who may use the sidecar.',
    )
  }
}

/** Checks the flags that say which sidecar is used. `localFlags` are those given that steer a local one. */
export function checkSidecarFlags(
  { local, sidecar, platform }: Pick<ServeChoices, 'local' | 'sidecar' | 'platform'>,
  env: NodeJS.ProcessEnv,
  localFlags: readonly string[],
): void {
  const variable = `${variablePrefix(platform)}PORT`
  if (local && sidecar !== undefined) {
    throw new UsageError('--sidecar and --local exclude each other: both say which sidecar is used.')
  }
  if (!local && localFlags.length > 0) {
    throw new UsageError(`${localFlags.join(' and ')} would steer a local sidecar; add --local to run one.`)
  }
  if (!local && sidecar === undefined && !env[variable]) {
    throw new UsageError(
      `Nothing says where the sidecar is: name it with --sidecar URL, run one inside with --local, or set ${variable}.`,
    )
  }
}

export function checkTlsFlags({ cert, key }: Pick<ServeChoices, 'cert' | 'key'>): void {
  if ((cert === undefined) !== (key === undefined)) {
    throw new UsageError('--cert and --key go together: HTTPS needs the certificate and its private key.')
  }
}

/**
 * Reads a certificate or key. A key must not be in the folder that is served.
 *
 * @throws UsageError
 * @throws CommandError for a file that isn't there
 */
export function readSecret(flag: string, path: string, served: string): Buffer {
  let content: Buffer
  try {
    // Opening a pipe would wait for its other end.
    refuseUnlessFile(statSync(path))
    content = readFileSync(path)
  } catch (error) {
    throw unreadable(`${path} of ${flag}`, error)
  }
  // The gateway itself reports a missing folder.
  if (flag !== '--key' || !existsSync(served)) return content
  const inside = relative(realpathSync(served), realpathSync(path))
  if (inside !== '..' && !inside.startsWith(`..${sep}`)) {
    throw new UsageError(`The private key ${path} is in the folder that is served; keep it elsewhere.`)
  }
  return content
}

/** Folders of the system: some with all that is in them, others in which builds have their own folders. */
const SYSTEM =
  /^(boot|dev|(private\/)?etc|proc|run|sys|Windows)(\/|$)|^(bin|lib|lib64|media|mnt|opt|sbin|srv|tmp|usr|var|Applications|Library|private(\/tmp|\/var)?|System|Volumes|Program Files( \(x86\))?|ProgramData)$/i

/**
 * Says why a folder should not be served unless somebody insists: whoever reaches the gateway reads all of it. It counts
 * where a path leads. Undefined for every other folder, and where there is none.
 */
export function whyNotToServe(dir: string): string | undefined {
  const path = realPath(dir)
  const what = path === undefined ? undefined : describeFolder(path)
  if (what === undefined) return undefined
  return (
    `${dir} is ${what}, and whoever reaches the gateway could read it; ` +
    'name the folder that holds the built page, or add --yes if you mean it.'
  )
}

function describeFolder(path: string): string | undefined {
  // A user without an entry in the system's list has no home, which Node tells by an error.
  const home = realPath(homedir)
  const nameOf = (one: string): string => one.slice(parse(one).root.length).split(sep).join('/')
  const isHome = (one: string): boolean => one === home || /^(root|(home|Users)\/[^/]+)$/i.test(nameOf(one))
  const name = nameOf(path)
  if (name === '') return 'the root of the file system'
  if (isHome(path)) return 'a home directory'
  if (/^(home|Users)$/i.test(name)) return 'the folder of all home directories'
  if (isHome(dirname(path)) && parse(path).base.startsWith('.')) return 'a hidden folder of a home directory'
  if (home?.startsWith(path + sep)) return `the folder in which ${home} is`
  return SYSTEM.test(name) ? `the folder ${path} of the system` : undefined
}

function realPath(path: string | (() => string)): string | undefined {
  try {
    return realpathSync(typeof path === 'string' ? path : path())
  } catch {
    return undefined
  }
}
