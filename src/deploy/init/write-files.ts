import { constants } from 'node:fs'
import { access, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { carryOver } from './carry-over.js'
import type { Existing } from './carry-over.js'
import type { Choices } from './choices.js'
import type { Project } from './project.js'
import { allocation } from './templates/allocation.js'
import { fleetAutoscaler } from './templates/autoscaler.js'
import { edgeManifest } from './templates/edge.js'
import { dockerfile, dockerignore } from './templates/dockerfile.js'
import { fleet, gameServer } from './templates/game-server.js'

/** A folder or file that can't be written; the message names it. */
export class WriteError extends Error {
  override readonly name = 'WriteError'
}

/** The files that were written, and those that existed before. */
export interface Written {
  readonly written: readonly string[]
  readonly kept: readonly string[]
}

/** The content of each file by its name. */
export const renderFiles = (choices: Choices, project: Project, existing?: Existing): ReadonlyMap<string, string> =>
  new Map([
    ['Dockerfile', dockerfile(choices, project)],
    ['.dockerignore', dockerignore(choices, project)],
    ['gameserver.yaml', gameServer(choices)],
    ['fleet.yaml', existing === undefined ? fleet(choices) : carryOver(fleet(choices), existing)],
    ['fleetautoscaler.yaml', fleetAutoscaler(choices)],
    ['allocation.yaml', allocation(choices)],
    ...(choices.edge === undefined ? [] : [['edge.yaml', edgeManifest(choices.edge)] as const]),
  ])

/**
 * Writes files into a folder. Keeps existing files and links unchanged. If a write fails, the files that were written
 * before are removed.
 *
 * @throws WriteError
 */
export async function writeFiles(folder: string, files: ReadonlyMap<string, string>): Promise<Written> {
  await checkFolder(folder)
  const written: string[] = []
  const kept: string[] = []
  for (const [name, content] of files) {
    try {
      // `wx` fails instead of following a link or replacing a file.
      await writeFile(join(folder, name), content, { flag: 'wx' })
      written.push(name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
        kept.push(name)
        continue
      }
      // A failed write leaves a partial file.
      await Promise.all([...written, name].map((one) => rm(join(folder, one), { force: true })))
      throw new WriteError(`${join(folder, name)} can't be written: ${reason(error)}; nothing was changed`, {
        cause: error,
      })
    }
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
