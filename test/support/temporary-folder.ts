import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

export interface TemporaryFolder {
  readonly path: string
  /** Retries while another process still writes there. */
  remove(): Promise<void>
}

/** Creates a folder for several tests, which remove it. */
export async function sharedFolder(name: string): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), `${name}-`))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 30 }) }
}

/** Creates a folder for one test, and removes it afterwards. */
export async function temporaryFolder(name: string): Promise<string> {
  const { path, remove } = await sharedFolder(name)
  onTestFinished(remove)
  return path
}

/** Creates a folder with these files for one test. */
export async function folderOf(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await temporaryFolder('gameserver-files')
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

/** Writes a file for one test into a folder of its own, and returns its path. */
export const temporaryFile = async (name: string, content: string | Buffer): Promise<string> =>
  join(await folderOf({ [name]: content }), name)
