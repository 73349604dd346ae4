import { existsSync, readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { askForNear } from '../protocol/nearest.js'
import { AllocationError } from './errors.js'
import type { AllocatorOptions } from './types.js'

/** Where a pod finds its account, and its environment. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folder with `token`, `ca.crt` and `namespace`. */
  readonly account: string
}

type Text = () => Promise<string>

/** A way to the platform. */
export interface Way {
  /** The Kubernetes API, the allocator service's REST form, or the control interface of a local sidecar. */
  readonly kind: 'api' | 'service' | 'sidecar'
  readonly url: URL
  readonly namespace: string
  readonly token?: Text | undefined
  /** Texts for TLS, as PEM. */
  readonly tls: { readonly ca?: Text | undefined; readonly cert?: Text | undefined; readonly key?: Text | undefined }
  readonly servername?: string | undefined
  /** How the way was found, for messages. */
  readonly foundBy: string
}

const OPTIONS = [
  ...['url', 'token', 'service', 'cert', 'key', 'ca', 'servername', 'sidecar', 'namespace', 'edge', 'timeout'],
] as readonly string[]

/** Refuses a name that doesn't exist, and asks for the nearest one: a misspelt name must not be ignored. */
export function checkNames(
  given: object,
  known: readonly string[],
  kind: string,
  code: 'CONFIG' | 'INVALID_ARGUMENT',
): void {
  const wrong = Object.keys(given).find((name) => !known.includes(name))
  if (wrong === undefined) return
  const question = askForNear(wrong, known)
  const hint = question === undefined ? `There are ${known.join(', ')}` : `D${question.slice(1)}`
  throw new AllocationError(code, `There is no ${kind} "${wrong.slice(0, 40)}"`, { hint })
}

/**
 * The way that an option names, else the first that is found. A variable that somebody set stands before the pod's account,
 * which every pod has.
 *
 * @throws AllocationError CONFIG
 */
export function findWay(options: AllocatorOptions, { env, account }: Surroundings): Way {
  checkNames(options, OPTIONS, 'option', 'CONFIG')
  const named = (['url', 'service', 'sidecar'] as const).filter((name) => options[name] !== undefined)
  if (named.length > 1) throw new AllocationError('CONFIG', `${named.join(' and ')} exclude each other`)
  const isInPod = env['KUBERNETES_SERVICE_HOST'] !== undefined && existsSync(join(account, 'token'))
  const namespace = options.namespace ?? (isInPod ? readFileSync(join(account, 'namespace'), 'utf8').trim() : 'default')
  const { servername } = options
  const ca = textOf(options.ca, 'ca')
  const { url, token, service, sidecar } = options

  const api = (address: string, foundBy: string): Way => {
    const tokenText = token === undefined ? undefined : () => Promise.resolve(token)
    return { kind: 'api', url: urlOf(address, foundBy), namespace, token: tokenText, tls: { ca }, servername, foundBy }
  }
  const byService = (address: string, foundBy: string): Way => {
    const [cert, key] = (['cert', 'key'] as const).map((name) =>
      textOf(options[name] ?? env[`GAMESERVER_ALLOCATOR_${name.toUpperCase()}`], name),
    )
    if ((cert === undefined) !== (key === undefined)) {
      throw new AllocationError('CONFIG', `There is a ${cert ? 'cert without a key' : 'key without a cert'}`)
    }
    const tls = { ca: ca ?? textOf(env['GAMESERVER_ALLOCATOR_CA'], 'GAMESERVER_ALLOCATOR_CA'), cert, key }
    return { kind: 'service', url: urlOf(address, foundBy, 'https://'), namespace, tls, servername, foundBy }
  }
  if (url !== undefined) return api(url, 'url')
  if (service !== undefined) return byService(service, 'service')
  if (sidecar !== undefined) {
    return { kind: 'sidecar', url: urlOf(sidecar, 'sidecar'), namespace, tls: {}, foundBy: 'sidecar' }
  }
  if (env['GAMESERVER_FLEET_URL']) return api(env['GAMESERVER_FLEET_URL'], 'GAMESERVER_FLEET_URL')
  if (env['GAMESERVER_ALLOCATOR_HOST']) return byService(env['GAMESERVER_ALLOCATOR_HOST'], 'GAMESERVER_ALLOCATOR_HOST')
  if (isInPod) return ofPod(env, account, namespace)
  throw new AllocationError('CONFIG', 'Nothing says where to allocate', {
    hint:
      'On your machine: gameserver-sidecar fleet -f fleet.yaml -- node server.mjs, and GAMESERVER_FLEET_URL as it prints it. ' +
      'In a cluster: a pod with a service account. ' +
      'From outside: GAMESERVER_ALLOCATOR_HOST, GAMESERVER_ALLOCATOR_CERT, _KEY and _CA for the allocator service',
  })
}

function ofPod(env: Surroundings['env'], account: string, namespace: string): Way {
  const [host = '', port = '443'] = [env['KUBERNETES_SERVICE_HOST'], env['KUBERNETES_SERVICE_PORT']]
  return {
    kind: 'api',
    url: urlOf(`https://${host.includes(':') ? `[${host}]` : host}:${port}`, 'KUBERNETES_SERVICE_HOST'),
    namespace,
    token: textOf(join(account, 'token'), 'token'),
    tls: { ca: textOf(join(account, 'ca.crt'), 'ca') },
    foundBy: "the pod's account",
  }
}

function urlOf(address: string, foundBy: string, scheme = 'http://'): URL {
  try {
    return new URL(/^https?:\/\//.test(address) ? address : scheme + address)
  } catch {
    throw new AllocationError('CONFIG', `${foundBy} must be a URL or a host; got "${address.slice(0, 80)}"`)
  }
}

/**
 * PEM text, or the content of a file, which is read again whenever it has changed: Kubernetes renews tokens about once an
 * hour, and issuers renew certificates.
 */
function textOf(given: string | undefined, name: string): Text | undefined {
  if (given === undefined || given === '') return undefined
  if (given.startsWith('-----BEGIN')) return () => Promise.resolve(given)
  let known = { version: '', text: '' }
  return async () => {
    try {
      const { mtimeMs, size, ino } = await stat(given)
      const version = `${mtimeMs} ${size} ${ino}`
      if (version !== known.version) known = { version, text: (await readFile(given, 'utf8')).trim() }
      return known.text
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      throw new AllocationError('CONFIG', `${name}: ${given} can't be read (${code})`, { cause })
    }
  }
}
