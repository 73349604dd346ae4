import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs kubectl and gives back what it printed. */
export async function kubectl(args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('kubectl', args, { maxBuffer: 16 * 1024 * 1024 })
  return stdout
}
