import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseObject } from '../client/answers.js'
import { isAlive } from '../local/game.js'
import { UsageError } from './context.js'
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

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The address of the sidecar that a command talks to: `--url`, else the port in AGONES_SDK_HTTP_PORT on this machine, else
 * the sidecar that runs on this machine, else the sidecar's own default port.
 *
 * @throws UsageError for an invalid address or port, and where several sidecars run
 */
export async function findSidecar(given: string | undefined, env: Environment): Promise<string> {
  const port = env['AGONES_SDK_HTTP_PORT'] ?? ''
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
  return parsed.href.replace(/\/$/, '')
}

/** Whether a text is a port from 1 to 65535. */
export const isPort = (given: string): boolean =>
  /^\d{1,5}$/.test(given) && Number(given) >= 1 && Number(given) <= 65_535

/** The port of the running sidecar, else the usual port. @throws UsageError where several run */
export async function findRunning(usual = USUAL_PORT): Promise<number> {
  const announced = announcedPorts()
  const ports = [...new Set([usual, ...announced])]
  const owners = await Promise.all(
    ports.map((port) => findPortOwner(port, announced.includes(port) ? KNOWN_PATIENCE_MS : PATIENCE_MS)),
  )
  const running = ports.filter((_, i) => owners[i] !== undefined)
  if (running.length < 2) return running[0] ?? usual
  const all = running.map((port) => `http://127.0.0.1:${port}`).join(', ')
  throw new UsageError(`${running.length} sidecars run on this machine; choose one of them with --url: ${all}.`)
}

/** Who listens on a port of this machine. */
export type PortOwner = 'another local sidecar' | 'a real sidecar' | undefined

/** Asks for the GameServer on a port; undefined where no sidecar answers. */
export async function findPortOwner(port: number, patience = KNOWN_PATIENCE_MS): Promise<PortOwner> {
  // Loads TLS, which commands that start a sidecar don't need.
  const { ask } = await import('./ask.js')
  const [own, read] = await Promise.all(
    ['/_/api/state', '/gameserver'].map((path) => ask(`http://127.0.0.1:${port}${path}`, { patience })),
  )
  // A sidecar with a token answers 401.
  const isOurs = own!.status === 401 || 'gameServer' in (parseObject(own!.text) ?? {})
  if (isOurs) return 'another local sidecar'
  return 'object_meta' in (parseObject(read!.text) ?? {}) ? 'a real sidecar' : undefined
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
