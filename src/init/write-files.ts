import { constants } from 'node:fs'
import { access, lstat, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Files that can't be written. The message is one sentence that names the folder or file. */
export class WriteError extends Error {
  override readonly name = 'WriteError'
}

/** Which files were written and which were there already, in the order given. */
export interface Written {
  readonly written: readonly string[]
  readonly kept: readonly string[]
}

/**
 * Writes files into a folder, none over another: what has the name already stays, a link included, wherever it leads. If
 * one of them can't be written, those before it are taken away again.
 *
 * @throws WriteError
 */
export async function writeFiles(folder: string, files: ReadonlyMap<string, string>): Promise<Written> {
  await checkFolder(folder)
  const kept: string[] = []
  const missing: string[] = []
  for (const name of files.keys()) ((await isThere(join(folder, name))) ? kept : missing).push(name)
  const written: string[] = []
  try {
    for (const name of missing) {
      // `wx` fails rather than follow a link or replace a file that has come in the meantime.
      await writeFile(join(folder, name), files.get(name)!, { flag: 'wx' })
      written.push(name)
    }
  } catch (error) {
    const name = missing[written.length]!
    // What is there by that name now is half a file of ours, unless somebody else was faster.
    const isOurs = (error as NodeJS.ErrnoException).code !== 'EEXIST'
    const ours = isOurs ? [...written, name] : written
    await Promise.all(ours.map((one) => rm(join(folder, one), { force: true })))
    throw new WriteError(`${join(folder, name)} can't be written: ${reason(error)}; nothing was changed`, {
      cause: error,
    })
  }
  return { written, kept }
}

async function checkFolder(folder: string): Promise<void> {
  try {
    if (!(await stat(folder)).isDirectory()) throw new WriteError(`${folder} is a file; name a folder`)
    await access(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    if (error instanceof WriteError) throw error
    throw new WriteError(`${folder} can't be written to: ${reason(error)}`, { cause: error })
  }
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full for this user',
  EEXIST: 'another process has just made it',
}

const reason = (error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException
  return REASONS[code] ?? message
}
