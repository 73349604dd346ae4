import { readManifest } from '../../sidecar/index.js'
import type { GameServerManifest } from '../../sidecar/index.js'
import { plainText } from '../plain-text.js'
import { readFleetTemplate } from './fleet-template.js'
import { readTextFile } from './read-text-file.js'
import { findDocument } from './yaml-documents.js'
import { YamlError } from './yaml-value.js'

/** A GameServer file that can't be used; the message is one sentence that names it. */
export class GameServerFileError extends Error {
  override readonly name = 'GameServerFileError'

  constructor(message: string, options?: ErrorOptions) {
    super(plainText(message), options)
  }
}

/** The content of a file. */
export interface FileContent {
  readonly gameServer: GameServerManifest
  /** The part of the file that was taken, in a sentence, if there is more in it than one GameServer. */
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
    throw new GameServerFileError(`Cannot read ${path}: ${reason(error)}`, { cause: error })
  }
}

/**
 * Parses a YAML or JSON text. Of several documents the first GameServer or Fleet is taken, of a Fleet its template.
 *
 * @throws GameServerFileError
 */
export async function parseGameServer(path: string, text: string): Promise<FileContent> {
  try {
    const { value, index, count } = await findDocument(text, isKnown)
    checkKind(value)
    const fleet = readFleetTemplate(value)
    const gameServer = fleet?.template ?? readManifest(value)
    const used = [fleet?.name, count > 1 ? `document ${index + 1} of ${count}` : undefined].filter(Boolean)
    return { gameServer, note: used.length > 0 ? plainText(`${path}: uses ${used.join(', ')}`) : undefined }
  } catch (error) {
    if (error instanceof YamlError) {
      throw new GameServerFileError(`${path} is neither YAML nor JSON: ${error.message}`, { cause: error })
    }
    throw new GameServerFileError(`${path} holds no usable GameServer: ${oneLine(reason(error))}`, { cause: error })
  }
}

const isKnown = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'kind' in value && ['GameServer', 'Fleet'].includes(String(value.kind))

function checkKind(value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError('it should be an object with metadata, spec or status')
  }
  if ('kind' in value && value.kind !== 'GameServer' && value.kind !== 'Fleet') {
    throw new TypeError(`its kind is ${JSON.stringify(value.kind)}; give a GameServer or a Fleet`)
  }
}

const SYSTEM_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
  ENXIO: 'it is a socket, not a file',
}

function reason(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  return SYSTEM_REASONS[code] ?? (error instanceof Error ? error.message : String(error))
}

const oneLine = (text: string): string => text.split('\n')[0]!.replace(/:$/, '').trim()
