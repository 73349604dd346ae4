import type { Stats } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'

/** Largest file, command or value in bytes: no GameServer of a cluster is larger. */
export const MAX_BYTES = 1.5 * 1024 * 1024

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
}

/** Why a file can't be read, as the end of a sentence. */
export function unreadableReason(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return REASONS[code] ?? message
}

/**
 * Reads a regular file as UTF-8. Other kinds are refused before they are opened: opening a pipe waits for its other end,
 * and a device may never end.
 *
 * @throws Error whose message is the reason as the end of a sentence, if it can't be read
 */
export async function readTextFile(path: string): Promise<string> {
  refuseUnlessFile(await stat(path))
  const file = await open(path)
  const bytes = await buffer(file.createReadStream({ end: MAX_BYTES }))
  if (bytes.length > MAX_BYTES) throw new Error('it is larger than 1.5 MiB, the most that a cluster takes')
  return decode(bytes)
}

/** Other encodings would be stored with replacement characters. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error('it is not UTF-8; save it as UTF-8')
  }
}

/** @throws Error for anything but a file; the message is the end of a sentence */
export function refuseUnlessFile(stats: Stats): void {
  if (!stats.isFile()) throw new Error(stats.isDirectory() ? 'it is a folder' : 'it is not a regular file')
}
