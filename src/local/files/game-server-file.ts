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

interface FileContent {
  readonly gameServer: GameServerManifest
  /** A sentence about the part of the file that was used, if the file holds more than one GameServer. */
  readonly note: string | undefined
}

/** Reads a GameServer from a YAML or JSON file. @throws GameServerFileError */
export async function loadGameServerFile(path: string): Promise<GameServerManifest> {
  return (await parseGameServer(path, await readText(path))).gameServer
}

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
export async function parseGameServer(path: string, text: string): Promise<FileContent> {
  const document = await findInFile(path, text, isKnown)
  return readInFile(path, document, 'GameServer', () => contentOf(path, document))
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

function contentOf(path: string, { value, index, count }: FoundDocument): FileContent {
  if (!isObject(value)) throw new TypeError('it must be an object with metadata, spec or status')
  const { kind = 'GameServer' } = value
  if (kind !== 'GameServer' && kind !== 'Fleet') {
    throw new TypeError(`its kind is ${JSON.stringify(kind)}; give a GameServer or a Fleet`)
  }
  const fleet = kind === 'Fleet' ? templateOf(value) : undefined
  const gameServer = fleet?.template ?? readGameServer(value)
  const used = [fleet?.name, count > 1 ? `document ${index + 1} of ${count}` : undefined].filter(Boolean)
  return { gameServer, note: used.length > 0 ? plainText(`${path}: uses ${used.join(', ')}`) : undefined }
}

/** The GameServer that a Fleet makes, with the label by which allocations choose, and the words for a message. */
function templateOf(value: unknown): { readonly template: GameServerManifest; readonly name: string } {
  const { apiVersion, metadata, spec } = readFleet(value)
  const { template } = spec
  const fleet = metadata?.name
  if (fleet == null) return { template, name: 'the template of the Fleet' }
  const group = apiVersion?.includes('/') === true ? apiVersion.split('/')[0]! : 'agones.dev'
  const labels = { ...template.metadata?.labels, [`${group}/fleet`]: fleet }
  return {
    template: { ...template, metadata: { ...template.metadata, labels } },
    name: `the template of the Fleet ${JSON.stringify(fleet)}`,
  }
}
