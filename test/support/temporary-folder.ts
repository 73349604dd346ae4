import { mkdtemp, rm } from 'node:fs/promises'
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
