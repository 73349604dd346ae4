import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DataChannel, PeerConnection } from 'node-datachannel'

/** What is used of the optional peer `node-datachannel`. */
export interface Native {
  readonly PeerConnection: new (name: string, config: object) => PeerConnection
}

export type NativePeer = PeerConnection
export type NativeChannel = DataChannel

const PACKAGE = 'node-datachannel'
/** The versions that the peer dependency names; the tests run the first. */
const INSTALL = `npm install ${PACKAGE}@0.33`

/** The optional peer isn't there, or can't be loaded here. */
export class MissingPeerError extends Error {
  override readonly name = 'MissingPeerError'
  readonly code = 'MISSING_PEER'
  readonly hint = `Run: ${INSTALL}`

  constructor(what: string, cause: unknown) {
    super(`WebRTC needs the package ${PACKAGE}, which ${what}. Run: ${INSTALL}`, { cause })
  }
}

/**
 * Loads the peer from beside this package, or from the project that the host was started in: a command that is installed
 * globally has the project's packages nowhere else.
 *
 * @throws MissingPeerError
 */
export async function loadNative(folder = process.cwd()): Promise<Native> {
  try {
    return (await import('node-datachannel')) as unknown as Native
  } catch (error) {
    if (!isNotFound(error)) throw new MissingPeerError('can not be loaded here', error)
  }
  let path: string
  try {
    path = createRequire(join(folder, 'package.json')).resolve(PACKAGE)
  } catch (error) {
    throw new MissingPeerError('is not installed', error)
  }
  try {
    const loaded = (await import(pathToFileURL(path).href)) as { default?: Native } & Native
    return loaded.PeerConnection ? loaded : loaded.default!
  } catch (error) {
    throw new MissingPeerError('can not be loaded here', error)
  }
}

const isNotFound = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
