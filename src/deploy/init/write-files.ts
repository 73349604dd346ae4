import { constants } from 'node:fs'
import { access, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
/** A folder or file that can't be written; the message names it. */
export class WriteError extends Error {
  override readonly name = 'WriteError'
}

/** The files that were written, and those that existed before. */
export interface Written {
  readonly written: readonly string[]
  readonly kept: readonly string[]
  /** The first line by which a kept file differs from what would have been written, by its name. */
  readonly differences: ReadonlyMap<string, Difference>
}

export interface Difference {
  readonly line: number
  /** Undefined if the file ends before this line. */
  readonly is: string | undefined
  readonly wouldBe: string | undefined
}

/**
 * Writes files into a folder. Keeps existing files and links unchanged. If a write fails, the files that were written
 * before are removed.
 *
 * @throws WriteError
 */
export async function writeFiles(folder: string, files: ReadonlyMap<string, string>): Promise<Written> {
  const written: string[] = []
  const kept: string[] = []
  const differences = new Map<string, Difference>()
  for (const [name, content] of files) {
    try {
      // `wx` fails instead of following a link or replacing a file.
      await writeFile(join(folder, name), content, { flag: 'wx' })
      written.push(name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
        kept.push(name)
        const difference = await differenceOf(join(folder, name), content)
        if (difference !== undefined) differences.set(name, difference)
        continue
      }
      // A failed write leaves a partial file.
      await Promise.all([...written, name].map((one) => rm(join(folder, one), { force: true })))
      throw new WriteError(`${join(folder, name)} can't be written: ${reason(error)}; nothing was changed`, {
        cause: error,
      })
    }
  }
  return { written, kept, differences }
}

/** Undefined for equal files, and for a folder or link that leads nowhere. */
async function differenceOf(path: string, content: string): Promise<Difference | undefined> {
  const text = await readFile(path, 'utf8').catch(() => content)
  const [is, wouldBe] = [text, content].map((one) => one.split(/\r?\n/)) as [string[], string[]]
  const index = Array.from({ length: Math.max(is.length, wouldBe.length) }).findIndex((_, at) => is[at] !== wouldBe[at])
  return index < 0 ? undefined : { line: index + 1, is: is[index], wouldBe: wouldBe[index] }
}

/** @throws WriteError for a folder that isn't there or can't be written to */
export async function checkFolder(folder: string): Promise<void> {
  try {
    if (!(await stat(folder)).isDirectory()) throw new WriteError(`${folder} is a file; name a folder`)
    await access(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    if (error instanceof WriteError) throw error
    throw new WriteError(`${folder} can't be written to: ${reason(error)}`, { cause: error })
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full for this user',
}

const reason = (error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException
  return REASONS[code] ?? message
}
