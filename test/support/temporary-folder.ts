import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder that goes with the test. What another process still writes into it gets a moment to end. */
export async function temporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}
