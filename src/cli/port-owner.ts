import { readdir, readFile, readlink } from 'node:fs/promises'
import { plainText } from '../node/plain-text.js'
import { fetchWithin } from './fetch-within.js'

/** Who listens on a port of this machine. */
export interface PortOwner {
  readonly kind: 'local' | 'real' | 'other'
  /** Such as `another local sidecar (process 4711)`, or `node (process 4711)`; undefined if nothing is known. */
  readonly name: string | undefined
}

/** Milliseconds that the one who listens may take to say who it is. */
const PATIENCE_MS = 700

/** Finds out who listens on a port: by asking it for a GameServer, and by what the system tells. */
export async function findPortOwner(port: number): Promise<PortOwner> {
  const [kind, process] = await Promise.all([askKind(port), findProcess(port)])
  const suffix = process === undefined ? '' : ` (process ${process.pid})`
  if (kind === 'local') return { kind, name: `another local sidecar${suffix}` }
  if (kind === 'real') return { kind, name: `a sidecar, ${process?.name ?? 'sdk-server'}${suffix}` }
  return { kind, name: process === undefined ? undefined : `${process.name}${suffix}` }
}

async function askKind(port: number): Promise<PortOwner['kind']> {
  const [state, object] = await Promise.all([fieldsOf(port, '/_/api/state'), fieldsOf(port, '/gameserver')])
  if (state.includes('gameServer')) return 'local'
  return object.includes('object_meta') ? 'real' : 'other'
}

async function fieldsOf(port: number, path: string): Promise<string[]> {
  try {
    const { text } = await fetchWithin(PATIENCE_MS, `http://127.0.0.1:${port}${path}`)
    const answer: unknown = JSON.parse(text)
    return Object.keys(answer as object)
  } catch {
    return []
  }
}

/** The process that listens, as far as Linux tells this user. */
async function findProcess(port: number): Promise<{ readonly pid: string; readonly name: string } | undefined> {
  try {
    const socket = await listeningSocket(port)
    if (socket === undefined) return undefined
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      if (!(await holds(pid, socket))) continue
      return { pid, name: plainText((await readFile(`/proc/${pid}/comm`, 'utf8')).trim(), 50) }
    }
  } catch {
    // Another system, or a process that has ended meanwhile.
  }
  return undefined
}

/** The link of the socket that listens on a port, such as `socket:[12345]`. */
async function listeningSocket(port: number): Promise<string | undefined> {
  const hex = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const lines = (await readFile(table, 'utf8').catch(() => '')).split('\n')
    for (const fields of lines.map((line) => line.trim().split(/\s+/))) {
      if (fields[1]?.endsWith(hex) && fields[3] === '0A') return `socket:[${fields[9]}]`
    }
  }
  return undefined
}

async function holds(pid: string, socket: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`
  const links = await readdir(folder).catch(() => [])
  for (const link of links) if ((await readlink(`${folder}/${link}`).catch(() => '')) === socket) return true
  return false
}
