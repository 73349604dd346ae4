import { constants } from 'node:fs'
import { access, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder or file that can't be written; the message names it. */
export class WriteError extends Error {
  override readonly name = 'WriteError'
}

/** The files that were written, and those that existed before. */
export interface Written {
  readonly written: readonly string[]
  readonly kept: readonly string[]
  /** For each kept file that differs from what init would write, its first such line. */
  readonly differences: readonly string[]
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
  const differences: string[] = []
  for (const [name, content] of files) {
    try {
      // `wx` fails instead of following a link or replacing a file.
      await writeFile(join(folder, name), content, { flag: 'wx' })
      written.push(name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
        kept.push(name)
        differences.push(...(await differencesIn(folder, name, content)))
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

/** Nothing for equal files, for a folder, for a link that leads nowhere, and for gameserver.yaml, which is the user's. */
async function differencesIn(folder: string, name: string, content: string): Promise<string[]> {
  const text = await readFile(join(folder, name), 'utf8').catch(() => content)
  const [is, wouldBe] = [text, content].map((one) => one.split(/\r?\n/)) as [string[], string[]]
  const index = [...is, ...wouldBe].findIndex((_, at) => is[at] !== wouldBe[at])
  if (index < 0 || name === 'gameserver.yaml') return []
  const [mine, ours] = [is, wouldBe].map((lines) => lines[index]?.trim() || 'nothing')
  return [`${name}:${index + 1} has ${mine}; init would write ${ours}`]
}

/** @throws WriteError for a folder that isn't there or can't be written to */
export async function checkFolder(folder: string): Promise<void> {
  try {
    await access(`${folder}/.`, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new WriteError(`${folder} can't be written to: ${reason(error)}`, { cause: error })
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'it is no folder',
  EACCES: 'this user may not',
  EROFS: 'its file system is read-only',
}

const reason = (error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException
  return REASONS[code] ?? message
}
