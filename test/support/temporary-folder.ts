import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** Writes a file for one test into a folder of its own, and returns its path. */
export async function temporaryFile(name: string, text: string): Promise<string> {
  const path = join(await temporaryFolder('file'), name)
  await writeFile(path, text)
  return path
}
