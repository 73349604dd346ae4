import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../../src/local/game/processes.js'

const PREFIX = 'gameserver-sidecar-cluster-'
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const undos = new Set<() => void>()
const undoAll = (): void => undos.forEach((undo) => undo())

/** What must not outlive this process. Returns what forgets it again. */
export function atEnd(undo: () => void): () => void {
  if (undos.size === 0) {
    process.on('exit', undoAll)
    for (const signal of SIGNALS) process.on(signal, endBy)
  }
  undos.add(undo)
  return () => {
    undos.delete(undo)
    if (undos.size > 0) return
    process.off('exit', undoAll)
    for (const signal of SIGNALS) process.off(signal, endBy)
  }
}

function endBy(signal: NodeJS.Signals): void {
  undoAll()
  // Without this listener the signal does what it would have done.
  for (const one of SIGNALS) process.off(one, endBy)
  process.kill(process.pid, signal)
}

/**
 * A folder for tokens and sockets that only this user may enter. It goes with `remove()` or with this process; what a
 * process left that was killed goes as soon as another one makes such a folder.
 */
export function secretFolder(): { readonly path: string; remove(): void } {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
  const path = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
  const takeAway = (): void => rmSync(path, { recursive: true, force: true })
  const forget = atEnd(takeAway)
  return {
    path,
    remove() {
      takeAway()
      forget()
    },
  }
}
