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
 * @param note called with what was taken of a file that holds more than one GameServer
 *
 * @throws GameServerFileError if the first content isn't usable
 */
export async function followGameServerFile(
  path: string,
  report: (problem: string) => void,
  note: (line: string) => void,
): Promise<FollowedFile> {
  const initial = await readText(path)
  const first = await parseGameServer(path, initial)
  if (first.note !== undefined) note(first.note)
  let stop = (): void => undefined
  return {
    gameServer: first.gameServer,
    start(onChange) {
      const refuse = (problem: string): void => report(`${problem}; the last good content stays`)
      const load = async (text: string): Promise<void> => {
        try {
          onChange((await parseGameServer(path, text)).gameServer)
        } catch (error) {
          refuse(error instanceof Error ? error.message : String(error))
        }
      }
      stop = watchTextFile(
        path,
        initial,
        (text) => void load(text),
        (reason) => refuse(`Cannot read ${path}: ${reason}`),
      )
    },
    stop: () => stop(),
  }
}
