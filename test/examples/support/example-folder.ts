import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { root } from '../../support/source.js'

/** What a test that runs beside others gives, so that what was started for it ends with it. */
export type Cleanup = Pick<TestContext, 'onTestFinished'>

/**
 * A copy of an example in which `npm install` seems to have run: this package, as it is built, and `ws` are links. In its
 * own place an example can't find them, since its package.json ends the scope in which this package knows its own name.
 */
export async function exampleFolder({ onTestFinished }: Cleanup, example: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `example-${example}-`))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  const filter = (path: string): boolean => !path.includes('node_modules')
  await cp(join(root, 'examples', example), folder, { recursive: true, filter })
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '.bin'), { recursive: true })
  await symlink(root, join(modules, 'gameserver-sidecar'), 'dir')
  await symlink(join(root, 'node_modules/ws'), join(modules, 'ws'), 'dir')
  const command = join(modules, '.bin/gameserver-sidecar')
  await writeFile(command, `#!/bin/sh\nexec node "${join(root, 'dist/cli.js')}" "$@"\n`)
  await chmod(command, 0o755)
  return folder
}
