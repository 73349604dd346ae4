import { gameServerBytes } from '../../sidecar/index.js'
import type { LogEntry, SidecarSnapshot } from '../../sidecar/index.js'

/** Bytes after which an answer with entries of the log ends: all else waits while it is written. */
const MAX_LOG_ANSWER = 8 * 1024 * 1024

/** The parts of a snapshot's JSON. The largest of them is the GameServer's, which all readers share. */
export function stateJson(snapshot: SidecarSnapshot): Uint8Array[] {
  const { gameServer, ...rest } = snapshot
  const head = `${JSON.stringify(rest).slice(0, -1)},"gameServer":`
  return [Buffer.from(head), gameServerBytes(gameServer), Buffer.from('}')]
}

/** The JSON of the first entries, as far as they fit into one answer; at least one of them. */
export function logJson(entries: readonly LogEntry[]): Uint8Array[] {
  const parts: string[] = []
  let size = 0
  for (const entry of entries) {
    const part = JSON.stringify(entry)
    size += Buffer.byteLength(part)
    if (size > MAX_LOG_ANSWER && parts.length > 0) break
    parts.push(part)
  }
  const more = parts.length < entries.length ? ',"more":true' : ''
  return [Buffer.from(`{"entries":[${parts.join(',')}]${more}}`)]
}
