import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderOf } from '../support/temporary-folder.js'
import { run } from '../tools/support.js'

/** The contents of files, by their names. */
type Files = Readonly<Record<string, string>>

/** The files of a page that needs no build. */
export const PAGE: Files = { 'dist/index.html': '' }

/** Runs `init` in a folder as the command line does. */
export const init = (into: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> =>
  run('init', '--yes', '--into', into, ...args).finished

/** A project with these files and this package.json, if any. */
export async function project(files: Files = PAGE, content?: object): Promise<string> {
  return folderOf({ ...(content === undefined ? {} : { 'package.json': JSON.stringify(content) }), ...files })
}

interface Initialized {
  readonly folder: string
  readonly code: number
  readonly out: string
  readonly err: string
  /** The names of files in the folder afterwards. */
  readonly names: readonly string[]
  readonly text: (name: string) => Promise<string>
}

/** Runs `init` in such a project. */
export async function initIn(content?: object, files: Files = PAGE, ...args: string[]): Promise<Initialized> {
  const folder = await project(files, content)
  const finished = await init(folder, ...args)
  const names = (await readdir(folder)).sort()
  return { folder, ...finished, names, text: (name) => readFile(join(folder, name), 'utf8') }
}
