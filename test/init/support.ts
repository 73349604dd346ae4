import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../support/temporary-folder.js'
import { run } from '../tools/support.js'

/** Runs `init` in a folder as the command line does. */
export const init = (into: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> =>
  run('init', '--yes', '--into', into, ...args).finished

export const project = (): Promise<string> => temporaryFolder('init')

export const packageJson = (folder: string, content: object): Promise<void> =>
  writeFile(join(folder, 'package.json'), JSON.stringify(content))

/** A project with this package.json and these files. */
export async function projectOf(content: object, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await project()
  await packageJson(folder, content)
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}
