import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DataChannel, PeerConnection } from 'node-datachannel'
import { HostError } from '../../host-error.js'

/** The part of the optional peer `node-datachannel` that is used. */
export interface Native {
  readonly PeerConnection: new (name: string, config: object) => PeerConnection
}

export type NativePeer = PeerConnection
export type NativeChannel = DataChannel

const PACKAGE = 'node-datachannel'
/** The tests run this version. */
const INSTALL = `Run: npm install ${PACKAGE}@0.33`

const missing = (what: string, cause: unknown): HostError =>
  new HostError('MISSING_PEER', `WebRTC needs the package ${PACKAGE}, which ${what}.`, INSTALL, { cause })

/**
 * Loads the peer from beside this package, or from the project that the host was
 * started in: a globally installed command finds the project's packages only there.
 *
 * @throws HostError MISSING_PEER
 */
export async function loadNative(folder = process.cwd()): Promise<Native> {
  try {
    return (await import('node-datachannel')) as unknown as Native
  } catch (error) {
    if (!isNotFound(error)) throw missing(unusable(error), error)
  }
  let path: string
  try {
    path = createRequire(join(folder, 'package.json')).resolve(PACKAGE)
  } catch (error) {
    throw missing("isn't installed", error)
  }
  try {
    const loaded = (await import(pathToFileURL(path).href)) as { default?: Native } & Native
    return loaded.PeerConnection ? loaded : loaded.default!
  } catch (error) {
    throw missing(unusable(error), error)
  }
}

const unusable = (error: unknown): string => `can't be loaded here (${(error as Error).message.split('\n')[0]})`

const isNotFound = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
