import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { didYouMean } from '../../protocol/nearest.js'
import { AllocationError } from './failures.js'
import type { Way, WayOptions } from './types.js'

/** What tells a pod where the platform is: its variables, and its service account. */
export interface PodEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folder with `token`, `ca.crt` and `namespace`. */
  readonly account: string
}

const WAY_OPTIONS = ['url', 'token', 'service', 'cert', 'key', 'ca', 'namespace']
export const ENDPOINT_OPTIONS = [...WAY_OPTIONS, 'region', 'weight']
export const OPTIONS = [...WAY_OPTIONS, 'edge', 'timeout', 'endpoints', 'allowDuplicate']

const NO_WAY =
  'On your machine: gameserver-sidecar fleet -f fleet.yaml -- node server.mjs, and GAMESERVER_FLEET_URL as printed there. ' +
  'In a cluster: a pod with a service account. ' +
  'From outside: GAMESERVER_ALLOCATOR_HOST, GAMESERVER_ALLOCATOR_CERT, _KEY and _CA for the allocator service'

/** Refuses a name that doesn't exist: a misspelt name must not be ignored. */
export function checkNames(given: object, known: readonly string[], code: 'CONFIG' | 'INVALID_ARGUMENT'): void {
  const wrong = Object.keys(given).find((name) => !known.includes(name))
  if (wrong === undefined) return
  const hint = didYouMean(wrong, known).replace(/^\w/, (letter) => letter.toUpperCase())
  const kind = code === 'CONFIG' ? 'option' : 'field'
  throw new AllocationError(code, `There is no ${kind} "${wrong.slice(0, 40)}"`, { hint })
}

/**
 * The way that an option names, else the first that is found. A variable that somebody set stands before the pod's account,
 * which every pod has.
 *
 * @throws AllocationError CONFIG
 */
export function findWay(options: WayOptions, { env, account }: PodEnvironment): Way {
  if (options.url && options.service) throw new AllocationError('CONFIG', 'url and service exclude each other')
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = env
  const isInPod = host !== '' && existsSync(join(account, 'token'))
  const inPod = isInPod ? `https://${host.includes(':') ? `[${host}]` : host}:${port}` : undefined
  const ways = [
    ['api', 'url', options.url],
    ['service', 'service', options.service],
    ['api', 'GAMESERVER_FLEET_URL', env['GAMESERVER_FLEET_URL']],
    ['service', 'GAMESERVER_ALLOCATOR_HOST', env['GAMESERVER_ALLOCATOR_HOST']],
    ['api', "the pod's account", inPod],
  ] as const
  const [kind, foundBy, address] = ways.find(([, , found]) => found) ?? []
  if (!kind || !address) throw new AllocationError('CONFIG', 'Nothing says where to allocate', { hint: NO_WAY })
  const ofPod = (file: string): string | undefined => (address === inPod ? join(account, file) : undefined)
  const given = (name: 'ca' | 'cert' | 'key'): string | undefined =>
    options[name] ?? (kind === 'service' ? env[`GAMESERVER_ALLOCATOR_${name.toUpperCase()}`] : undefined)
  const [cert, key] = [given('cert'), given('key')]
  if (!cert !== !key)
    throw new AllocationError('CONFIG', `There is a ${cert ? 'cert without a key' : 'key without a cert'}`)
  return {
    kind,
    url: urlOf(address, foundBy, kind === 'service' ? 'https://' : 'http://'),
    namespace: options.namespace ?? (isInPod ? readFileSync(join(account, 'namespace'), 'utf8').trim() : 'default'),
    foundBy,
    hasCertificate: !!cert,
    secrets: () => ({
      token: options.token ?? textOf('token', ofPod('token')),
      ca: textOf('ca', given('ca') ?? ofPod('ca.crt')),
      cert: textOf('cert', cert),
      key: textOf('key', key),
    }),
  }
}

function urlOf(address: string, foundBy: string, scheme: string): URL {
  const text = /^https?:\/\//.test(address) ? address : scheme + address
  if (URL.canParse(text)) return new URL(text)
  throw new AllocationError('CONFIG', `${foundBy} must be a URL or a host; got "${address.slice(0, 80)}"`)
}

/** PEM text as given, or the content of a file. */
function textOf(name: string, given: string | undefined): string | undefined {
  if (!given || given.startsWith('-----BEGIN')) return given
  try {
    return readFileSync(given, 'utf8').trim()
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new AllocationError('CONFIG', `${name}: ${given} can't be read (${code})`, { cause })
  }
}
