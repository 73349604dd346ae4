import { readFile } from 'node:fs/promises'
import { readManifest } from '../../sidecar/index.js'
import type { GameServerManifest } from '../../sidecar/index.js'

/** A GameServer file that can't be used; the message is one sentence that names it. */
export class GameServerFileError extends Error {
  override readonly name = 'GameServerFileError'
}

/** Reads a GameServer from a YAML or JSON file. @throws GameServerFileError */
export async function loadGameServerFile(path: string): Promise<GameServerManifest> {
  return parseGameServer(path, await readText(path))
}

/** Reads a file's text. @throws GameServerFileError if it can't be read */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new GameServerFileError(`Cannot read ${path}: ${reason(error)}`, { cause: error })
  }
}

/**
 * Parses the first document of a YAML or JSON text. Integers stay exact: one that a number can't hold becomes a decimal
 * string. @throws GameServerFileError
 */
export async function parseGameServer(path: string, text: string): Promise<GameServerManifest> {
  const { parseAllDocuments } = await import('yaml')
  const documents = parseAllDocuments(text, { intAsBigInt: true, logLevel: 'error' })
  const first = 'empty' in documents ? undefined : documents[0]
  const problem = first?.errors[0]
  if (problem !== undefined) {
    throw new GameServerFileError(`${path} is neither YAML nor JSON: ${oneLine(problem.message)}`, {
      cause: problem,
    })
  }
  try {
    const value = exactIntegers(first?.toJS())
    checkKind(value)
    return readManifest(value)
  } catch (error) {
    throw new GameServerFileError(`${path} holds no usable GameServer: ${oneLine(reason(error))}`, {
      cause: error,
    })
  }
}

function checkKind(value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError('it should be an object with metadata, spec or status')
  }
  if ('kind' in value && value.kind !== 'GameServer') {
    throw new TypeError(`its kind is ${JSON.stringify(value.kind)}`)
  }
}

function exactIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (Array.isArray(value)) return value.map(exactIntegers)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  // `fromEntries` defines properties, so that a `__proto__` in the file is a key like any other.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, exactIntegers(item)]))
}

const SYSTEM_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
  EISDIR: 'it is a folder',
}

function reason(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  return SYSTEM_REASONS[code] ?? (error instanceof Error ? error.message : String(error))
}

const oneLine = (text: string): string => text.split('\n')[0]!.replace(/:$/, '').trim()
