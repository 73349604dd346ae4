import { isObject } from '../../protocol/is-object.js'
import { InvalidInput, readFleet, readGameServer } from '../../platform/schema.js'
import type { GameServerManifest } from '../../platform/sidecar.js'
import { plainText } from '../../protocol/plain-text.js'
import { readTextFile, unreadableReason } from './read-text-file.js'
import { findDocument, type FoundDocument } from './yaml-documents.js'

/** A GameServer file can't be used. The message is one sentence that names the file. */
export class GameServerFileError extends Error {
  override readonly name = 'GameServerFileError'

  constructor(message: string, options?: ErrorOptions) {
    super(plainText(message), options)
  }
}

/** Reads a GameServer from a YAML or JSON file. @throws GameServerFileError */
export const loadGameServerFile = async (path: string): Promise<GameServerManifest> =>
  parseGameServer(path, await readText(path))

/** Reads a file's text. @throws GameServerFileError if it can't be read */
export async function readText(path: string): Promise<string> {
  try {
    return await readTextFile(path)
  } catch (error) {
    throw new GameServerFileError(`Cannot read ${path}: ${unreadableReason(error)}`, { cause: error })
  }
}

/**
 * Parses a YAML or JSON text. Uses the first document that is a GameServer or Fleet, and the template of a Fleet.
 *
 * @throws GameServerFileError
 */
export async function parseGameServer(path: string, text: string): Promise<GameServerManifest> {
  const document = await findInFile(path, text, isKnown)
  return readInFile(path, document, 'GameServer', () => gameServerOf(document.value))
}

/** Finds the first wanted document of a file's text, see `findDocument()`. @throws GameServerFileError */
export function findInFile(path: string, text: string, isWanted: (value: unknown) => boolean): Promise<FoundDocument> {
  return findDocument(text, isWanted).catch((error: unknown) => {
    throw new GameServerFileError(`${path} is neither YAML nor JSON: ${unreadableReason(error)}`, { cause: error })
  })
}

/** Calls `read` for a document of a file. @throws GameServerFileError that names the file and the mistake's line */
export function readInFile<T>(path: string, document: FoundDocument, kind: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const place = error instanceof InvalidInput ? `${path}:${document.lineOf(error.path)}` : path
    throw new GameServerFileError(`${place} holds no usable ${kind}: ${unreadableReason(error)}`, { cause: error })
  }
}

export const isKnown = (value: unknown): boolean =>
  isObject(value) && ['GameServer', 'Fleet'].includes(String(value['kind']))

function gameServerOf(value: unknown): GameServerManifest {
  if (!isObject(value)) throw new TypeError('it must be an object with metadata, spec or status')
  const { kind = 'GameServer' } = value
  if (kind === 'Fleet') return templateOf(value)
  if (kind === 'GameServer') return readGameServer(value)
  throw new TypeError(`its kind is ${JSON.stringify(kind)}; give a GameServer or a Fleet`)
}

/** The GameServer that a Fleet makes, with the label by which allocations choose. */
function templateOf(value: unknown): GameServerManifest {
  const { apiVersion, metadata, spec } = readFleet(value)
  const { template } = spec
  const fleet = metadata?.name
  if (fleet == null) return template
  const group = apiVersion?.includes('/') === true ? apiVersion.split('/')[0]! : 'agones.dev'
  const labels = { ...template.metadata?.labels, [`${group}/fleet`]: fleet }
  return { ...template, metadata: { ...template.metadata, labels } }
}
