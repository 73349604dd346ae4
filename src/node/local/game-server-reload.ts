import type { GameServerManifest } from '../../sidecar/index.js'
import { watchTextFile } from './file-watcher.js'
import { parseGameServer, readText } from './game-server-file.js'

/** A GameServer file that is followed. */
export interface FollowedFile {
  /** Its first content. */
  readonly gameServer: GameServerManifest
  /** Calls `onChange` with every later content that is usable. */
  start(onChange: (gameServer: GameServerManifest) => void): void
  stop(): void
}

/**
 * Loads a GameServer file and follows it. A later content that isn't usable is reported, and the last good one stays.
 *
 * @throws GameServerFileError if the first content isn't usable
 */
export async function followGameServerFile(path: string, report: (problem: string) => void): Promise<FollowedFile> {
  const initial = await readText(path)
  const gameServer = await parseGameServer(path, initial)
  let stop = (): void => undefined
  return {
    gameServer,
    start(onChange) {
      stop = watchTextFile(path, initial, (text) => {
        parseGameServer(path, text).then(onChange, (error: unknown) => {
          report(`${error instanceof Error ? error.message : String(error)}; the last good content stays`)
        })
      })
    },
    stop: () => stop(),
  }
}
