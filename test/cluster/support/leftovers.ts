import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atExit, isAlive } from '../../../src/local/game/processes.js'

const PREFIX = 'gameserver-sidecar-cluster-'

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
  const forget = atExit(takeAway)
  return {
    path,
    remove() {
      takeAway()
      forget()
    },
  }
}
