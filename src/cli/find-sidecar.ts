import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseObject } from '../client/request.js'
import { isAlive } from '../local/game.js'
import { plainText } from '../protocol/plain-text.js'
import { UsageError } from './exit-codes.js'
import { text } from './flags.js'

/** The `--url` of commands that talk to a running sidecar. */
export const url = text(
  'url',
  'address of the sidecar; default: 127.0.0.1 at AGONES_SDK_HTTP_PORT, else the sidecar of this machine',
)

const USUAL_PORT = 9358
/** Longest wait for a program that may be a sidecar. */
const PATIENCE_MS = 700
/** Longest wait for a sidecar that has announced itself or for the owner of a port, on a busy machine. */
const KNOWN_PATIENCE_MS = 3_000

/**
 * The address of the sidecar that a command talks to: `--url`, else the port in AGONES_SDK_HTTP_PORT on this machine, else
 * the sidecar that runs on this machine, else the sidecar's own default port.
 *
 * @throws UsageError for an invalid address or port, and where several sidecars run
 */
export async function findSidecar(given: string | undefined): Promise<string> {
  const port = process.env['AGONES_SDK_HTTP_PORT'] ?? ''
  if (given === undefined && port !== '' && !isPort(port)) {
    throw new UsageError(`AGONES_SDK_HTTP_PORT must be a port from 1 to 65535; got ${JSON.stringify(port)}`)
  }
  if (given === undefined) return `http://127.0.0.1:${port === '' ? await findRunning() : port}`
  const parsed = URL.canParse(given) ? new URL(given) : undefined
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new UsageError(`--url must look like http://127.0.0.1:9358; got ${JSON.stringify(given)}`)
  }
  if (/[?#]/.test(given)) {
    throw new UsageError(`--url must end before "?" and "#", since paths are added to it; got ${JSON.stringify(given)}`)
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new UsageError(
      `--url must hold no user and no password, which a sidecar doesn't know; got one for ${parsed.host}`,
    )
  }
  return parsed.href.replace(/\/$/, '')
}

/** Whether a text is a port from 1 to 65535. */
export const isPort = (given: string): boolean =>
  /^\d{1,5}$/.test(given) && Number(given) >= 1 && Number(given) <= 65_535

/** The port of the running sidecar, else the usual port. @throws UsageError where several run */
export async function findRunning(usual = USUAL_PORT): Promise<number> {
  const running = await runningSidecars(usual)
  if (running.length < 2) return running[0]?.port ?? usual
  const all = running.map(describeRunning).join(', ')
  throw new UsageError(`${running.length} sidecars run on this machine; choose one of them with --url: ${all}.`)
}

/** Names the sidecars of this machine, for a message about an address without one; undefined where there are none. */
export async function sidecarsElsewhere(url: string): Promise<string | undefined> {
  const others = (await runningSidecars()).filter(({ port }) => new URL(url).port !== String(port))
  if (others.length === 0) return undefined
  return `On this machine there ${others.length === 1 ? 'is one' : 'are some'} at ${others.map(describeRunning).join(', ')}`
}

/** A sidecar on a port of this machine. */
interface Running {
  readonly port: number
  readonly kind: 'another local sidecar' | 'a real sidecar'
  /** Name and state of its GameServer; undefined for a sidecar with a token. */
  readonly gameServer: string | undefined
}

const describeRunning = ({ port, gameServer }: Running): string =>
  `http://127.0.0.1:${port}${gameServer === undefined ? '' : ` (${gameServer})`}`

async function runningSidecars(usual = USUAL_PORT): Promise<Running[]> {
  const announced = announcedPorts()
  const patience = (port: number): number => (announced.includes(port) ? KNOWN_PATIENCE_MS : PATIENCE_MS)
  const ports = [...new Set([usual, ...announced])]
  const owners = await Promise.all(ports.map((port) => findPortOwner(port, patience(port))))
  return owners.filter((owner) => owner !== undefined)
}

/** Asks for the GameServer on a port; undefined where no sidecar answers. */
export async function findPortOwner(port: number, patience = KNOWN_PATIENCE_MS): Promise<Running | undefined> {
  // Loads TLS, which commands that start a sidecar don't need.
  const { ask } = await import('./ask.js')
  const [own, read] = await Promise.all(
    ['/_/api/state', '/gameserver'].map((path) => ask(`http://127.0.0.1:${port}${path}`, { patience })),
  )
  const state = parseObject(own!.text) ?? {}
  const gameServer = parseObject(read!.text) ?? {}
  // A sidecar with a token answers 401.
  if (own!.status === 401 || 'gameServer' in state)
    return { port, kind: 'another local sidecar', gameServer: nameAndState(state['gameServer']) }
  return 'object_meta' in gameServer
    ? { port, kind: 'a real sidecar', gameServer: nameAndState(gameServer) }
    : undefined
}

function nameAndState(found: unknown): string | undefined {
  const { object_meta: meta, status } = (found ?? {}) as Partial<Record<string, Partial<Record<string, unknown>>>>
  const words = [meta?.['name'], status?.['state']].filter((word) => typeof word === 'string' && word !== '')
  return words.length === 0 ? undefined : plainText(words.join(', '), 100)
}

/** Each running local sidecar of this user has a file here, named by its process and port. */
const folder = (): string =>
  join(process.env['XDG_RUNTIME_DIR'] ?? tmpdir(), `gameserver-sidecar-${process.getuid?.() ?? 'user'}`)

/** The files of this process. */
const ownFiles = new Set<string>()

/** Lets other commands find the local sidecar of this process, until the process ends. */
export function announceSidecar(address: string): void {
  const { hostname, port } = new URL(address)
  if (hostname !== '127.0.0.1') return
  const file = join(folder(), `${process.pid}-${port}`)
  try {
    mkdirSync(folder(), { recursive: true, mode: 0o700 })
    writeFileSync(file, '')
  } catch {
    // In a container without a writable folder, --url still works.
    return
  }
  if (ownFiles.size === 0) process.once('exit', () => ownFiles.forEach((one) => rmSync(one, { force: true })))
  ownFiles.add(file)
}

/** The ports of files whose process is alive; another process may have taken its id. */
function announcedPorts(): number[] {
  try {
    return readdirSync(folder()).flatMap((name) => {
      const [, pid, port = ''] = /^(\d+)-(\d+)$/.exec(name) ?? []
      if (!isPort(port)) return []
      if (isAlive(Number(pid))) return Number(port)
      rmSync(join(folder(), name), { force: true })
      return []
    })
  } catch {
    return []
  }
}
